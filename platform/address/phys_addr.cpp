#include "platform/address/phys_addr.h"

#include <fmt/format.h>

#include <array>

#include "platform/base/error.h"
#include "platform/base/units.h"

namespace kb::address {
namespace {

constexpr std::array<std::string_view, 7> kKindNames{"HBM",   "PE_LOCAL", "MCPU_LOCAL", "CUBE_SRAM",
                                                     "IOCPU", "UAL",      "RESERVED"};
constexpr std::array<std::string_view, 7> kPeUnits{"PE_CPU_DTCM",     "MATH_ENGINE_DTCM", "IPCQ",  "PE_CPU_SFR",
                                                   "MATH_ENGINE_SFR", "DMA_ENGINE_SFR",   "PE_TCM"};
constexpr std::array<std::uint64_t, 7> kPeBudgets{8 * kKiB,  8 * kKiB,   256 * kKiB,    16 * kKiB,
                                                  16 * kKiB, 192 * kKiB, kUnitSlotBytes};
constexpr std::array<std::string_view, 6> kMcpuUnits{"MCPU_ITCM", "MCPU_DTCM",    "MCPU_IPCQ",
                                                     "MCPU_SFR",  "MCPU_DMA_SFR", "MCPU_SRAM"};
constexpr std::array<std::uint64_t, 6> kMcpuBudgets{512 * kKiB, 512 * kKiB, 256 * kKiB, 8 * kKiB, 16 * kKiB, 10 * kMiB};
constexpr std::array<std::string_view, 6> kIocpuUnits{"IOCPU_ITCM", "IOCPU_DTCM", "IOCPU_IPCQ",
                                                      "IOCPU_SFR",  "IO_DMA_SFR", "IO_SRAM"};
constexpr std::array<std::uint64_t, 6> kIocpuBudgets{512 * kKiB, 512 * kKiB, 2 * kMiB, 8 * kKiB, 16 * kKiB, 64 * kMiB};

constexpr std::uint64_t bits(std::uint64_t value, int high, int low) {
  return (value >> low) & ((std::uint64_t{1} << (high - low + 1)) - 1);
}

template <std::size_t N>
void set_unit(AddressFields& fields, std::uint64_t unit, std::uint64_t offset,
              const std::array<std::uint64_t, N>& budgets) {
  fields.unit = static_cast<std::uint32_t>(unit);
  fields.offset = offset;
  if (unit >= N) {
    fields.kind = TargetKind::reserved;
    fields.fault = AddressFault::reserved_unit;
  } else if (offset >= budgets[unit]) {
    fields.fault = AddressFault::beyond_budget;
  }
}

void require_zero(AddressFields& fields, std::uint64_t value, int high, int low) {
  if (bits(value, high, low) != 0) fields.fault = AddressFault::must_be_zero;
}

void decode_resource(AddressFields& fields, std::uint64_t value) {
  switch (bits(value, 36, 34)) {
    case 0:
      fields.kind = TargetKind::pe_local;
      fields.pe = static_cast<std::uint32_t>(bits(value, 32, 29));
      set_unit(fields, bits(value, 28, 25), bits(value, 24, 0), kPeBudgets);
      require_zero(fields, value, 33, 33);
      return;
    case 1:
      fields.kind = TargetKind::mcpu_local;
      set_unit(fields, bits(value, 29, 25), bits(value, 24, 0), kMcpuBudgets);
      require_zero(fields, value, 33, 30);
      return;
    case 2:
      fields.kind = TargetKind::cube_sram;
      fields.offset = bits(value, 33, 0);
      return;
    default:
      fields.offset = bits(value, 33, 0);
      fields.fault = AddressFault::reserved_resource_kind;
  }
}

void decode_ahbm(AddressFields& fields, std::uint64_t value) {
  if (bits(value, 37, 37) == 1) {
    fields.kind = TargetKind::hbm;
    fields.offset = bits(value, 36, 0);
  } else {
    decode_resource(fields, value);
  }
  require_zero(fields, value, 41, 38);
}

void decode_chiplet(AddressFields& fields, std::uint64_t value) {
  const std::uint64_t offset = bits(value, 39, 0);
  if (offset >= kUalBase) {
    fields.kind = TargetKind::ual;
    fields.offset = offset;
  } else {
    fields.kind = TargetKind::iocpu;
    set_unit(fields, bits(value, 30, 27), bits(value, 26, 0), kIocpuBudgets);
  }
  require_zero(fields, value, 41, 40);
}

std::string_view name_of_unit(TargetKind kind, std::uint32_t unit) {
  if (kind == TargetKind::pe_local) return kPeUnits.at(unit);
  if (kind == TargetKind::mcpu_local) return kMcpuUnits.at(unit);
  return kIocpuUnits.at(unit);
}

std::uint64_t budget_of_unit(TargetKind kind, std::uint32_t unit) {
  if (kind == TargetKind::pe_local) return kPeBudgets.at(unit);
  if (kind == TargetKind::mcpu_local) return kMcpuBudgets.at(unit);
  return kIocpuBudgets.at(unit);
}

}  // namespace

std::string_view target_kind_name(TargetKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}
std::string_view unit_name(PeUnit unit) {
  return kPeUnits.at(static_cast<std::size_t>(unit));
}
std::string_view unit_name(McpuUnit unit) {
  return kMcpuUnits.at(static_cast<std::size_t>(unit));
}
std::string_view unit_name(IocpuUnit unit) {
  return kIocpuUnits.at(static_cast<std::size_t>(unit));
}
std::uint64_t unit_budget(PeUnit unit) {
  return kPeBudgets.at(static_cast<std::size_t>(unit));
}
std::uint64_t unit_budget(McpuUnit unit) {
  return kMcpuBudgets.at(static_cast<std::size_t>(unit));
}
std::uint64_t unit_budget(IocpuUnit unit) {
  return kIocpuBudgets.at(static_cast<std::size_t>(unit));
}

AddressFields decode_fields(std::uint64_t value) {
  AddressFields fields;
  if ((value >> kAddressBits) != 0) {
    fields.fault = AddressFault::too_wide;
    return fields;
  }
  fields.sip = static_cast<std::uint32_t>(bits(value, 50, 47));
  fields.die = static_cast<std::uint32_t>(bits(value, 46, 42));
  if (fields.die < kMaxCubes) {
    decode_ahbm(fields, value);
  } else if (fields.die < kMaxCubes + kMaxChiplets) {
    decode_chiplet(fields, value);
  } else {
    fields.offset = bits(value, 41, 0);
    fields.fault = AddressFault::reserved_die;
  }
  return fields;
}

std::string describe_fault(const AddressFields& fields) {
  switch (fields.fault) {
    case AddressFault::none:
      return "";
    case AddressFault::too_wide:
      return fmt::format("it is wider than {} bits", kAddressBits);
    case AddressFault::must_be_zero:
      return fmt::format("bits that must be zero are set in the {} window of sip {}, die {}",
                         target_kind_name(fields.kind), fields.sip, fields.die);
    case AddressFault::reserved_die:
      return fmt::format("die {} of sip {} is reserved (0..15 are cubes, 16..20 are IO chiplets)", fields.die,
                         fields.sip);
    case AddressFault::reserved_resource_kind:
      return fmt::format("the resource kind in sip {}, die {} is reserved (0 PE_LOCAL, 1 MCPU_LOCAL, 2 CUBE_SRAM)",
                         fields.sip, fields.die);
    case AddressFault::reserved_unit:
      return fmt::format("sub-unit {} in sip {}, die {} is reserved", fields.unit, fields.sip, fields.die);
    case AddressFault::beyond_budget:
      return fmt::format("offset {:#x} is past the {} of {} in sip {}, die {}", fields.offset,
                         format_bytes(budget_of_unit(fields.kind, fields.unit)), name_of_unit(fields.kind, fields.unit),
                         fields.sip, fields.die);
  }
  return "";
}

PhysAddr PhysAddr::decode(std::uint64_t value) {
  const AddressFields fields = decode_fields(value);
  if (fields.fault != AddressFault::none) {
    throw Error::program("ADDRESS_ERROR",
                         fmt::format("{:#x} is not a physical address: {}", value, describe_fault(fields)));
  }
  return PhysAddr(value, fields);
}

PhysAddr::PhysAddr(std::uint64_t value, const AddressFields& fields)
    : value_(value),
      offset_(fields.offset),
      sip_(static_cast<std::uint8_t>(fields.sip)),
      die_(static_cast<std::uint8_t>(fields.die)),
      pe_(static_cast<std::uint8_t>(fields.pe)),
      unit_(static_cast<std::uint8_t>(fields.unit)),
      kind_(fields.kind) {}

void PhysAddr::require(bool is_kind, const char* field) const {
  if (!is_kind) throw Error::model(fmt::format("{} has no {}", to_string(), field));
}

CubeId PhysAddr::cube() const {
  require(die_ < kMaxCubes, "cube");
  return CubeId(die_);
}
ChipletId PhysAddr::chiplet() const {
  require(die_ >= kMaxCubes, "IO chiplet");
  return ChipletId(die_ - kMaxCubes);
}
PeId PhysAddr::pe() const {
  require(kind_ == TargetKind::pe_local, "PE");
  return PeId(pe_);
}
PeUnit PhysAddr::pe_unit() const {
  require(kind_ == TargetKind::pe_local, "PE sub-unit");
  return static_cast<PeUnit>(unit_);
}
McpuUnit PhysAddr::mcpu_unit() const {
  require(kind_ == TargetKind::mcpu_local, "M_CPU sub-unit");
  return static_cast<McpuUnit>(unit_);
}
IocpuUnit PhysAddr::iocpu_unit() const {
  require(kind_ == TargetKind::iocpu, "IO_CPU sub-unit");
  return static_cast<IocpuUnit>(unit_);
}
std::uint64_t PhysAddr::hbm_offset() const {
  require(kind_ == TargetKind::hbm, "HBM offset");
  return offset_;
}

std::string PhysAddr::to_string() const {
  std::string place = die_ < kMaxCubes ? fmt::format("sip{}.cube{}", sip_, die_)
                                       : fmt::format("sip{}.iochiplet{}", sip_, die_ - kMaxCubes);
  switch (kind_) {
    case TargetKind::pe_local:
      return fmt::format("{}.pe{} {} +{:#x}", place, pe_, name_of_unit(kind_, unit_), offset_);
    case TargetKind::mcpu_local:
    case TargetKind::iocpu:
      return fmt::format("{} {} +{:#x}", place, name_of_unit(kind_, unit_), offset_);
    case TargetKind::hbm:
    case TargetKind::cube_sram:
    case TargetKind::ual:
    case TargetKind::reserved:
      break;
  }
  return fmt::format("{} {} +{:#x}", place, target_kind_name(kind_), offset_);
}

}  // namespace kb::address
