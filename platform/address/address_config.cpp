#include "platform/address/address_config.h"

#include <fmt/format.h>

#include "platform/base/error.h"
#include "platform/base/units.h"

namespace kb::address {
namespace {

// Implemented bytes of the memory or unit of the address; no value when the layout is not defined.
std::optional<std::uint64_t> implemented_bytes(const AddressConfig& config, const PhysAddr& address) {
  switch (address.kind()) {
    case TargetKind::hbm:
      return config.hbm_bytes_per_cube;
    case TargetKind::pe_local:
      return address.is_tcm() ? config.tcm_bytes_per_pe : unit_budget(address.pe_unit());
    case TargetKind::mcpu_local:
      return unit_budget(address.mcpu_unit());
    case TargetKind::cube_sram:
      return config.sram_bytes_per_cube;
    case TargetKind::iocpu:
      return unit_budget(address.iocpu_unit());
    case TargetKind::ual:
    case TargetKind::reserved:
      break;
  }
  return std::nullopt;
}

std::optional<std::string> missing_part(const AddressConfig& config, const PhysAddr& address) {
  const auto missing = [](const char* what, std::uint32_t index, const char* whole, std::uint32_t count) {
    return fmt::format("{} {} does not exist ({} has {})", what, index, whole, count);
  };
  if (address.sip().value >= config.sips) return missing("sip", address.sip().value, "this machine", config.sips);
  if (address.die() >= kMaxCubes) {
    if (address.chiplet().value < config.chiplets_per_sip) return std::nullopt;
    return missing("IO chiplet", address.chiplet().value, "a SIP", config.chiplets_per_sip);
  }
  if (address.cube().value >= config.cubes_per_sip) {
    return missing("cube", address.cube().value, "a SIP", config.cubes_per_sip);
  }
  if (address.kind() == TargetKind::pe_local && address.pe().value >= config.pes_per_cube) {
    return missing("pe", address.pe().value, "a cube", config.pes_per_cube);
  }
  return std::nullopt;
}

}  // namespace

TcmPartition TcmPartition::make(std::uint64_t tcm_bytes, std::uint64_t scratch_bytes, std::uint64_t reserved_bytes) {
  if (reserved_bytes > tcm_bytes || scratch_bytes > tcm_bytes - reserved_bytes) {
    throw Error::configuration(
        fmt::format("a TCM of {} cannot hold {} of kernel scratch and {} reserved for the scheduler (enlarge "
                    "tcm_size_mb, or reduce "
                    "tcm_kernel_scratch_bytes or tcm_scheduler_reserved_bytes)",
                    format_bytes(tcm_bytes), format_bytes(scratch_bytes), format_bytes(reserved_bytes)));
  }
  TcmPartition parts;
  parts.reserved_bytes = reserved_bytes;
  parts.reserved_offset = tcm_bytes - reserved_bytes;
  parts.scratch_bytes = scratch_bytes;
  parts.scratch_offset = parts.reserved_offset - scratch_bytes;
  parts.allocatable_bytes = parts.scratch_offset;
  return parts;
}

AddressConfig AddressConfig::from_spec(const topology::MachineSpec& spec) {
  AddressConfig config;
  config.sips = static_cast<std::uint32_t>(spec.sip_count);
  config.cubes_per_sip = static_cast<std::uint32_t>(spec.cubes_per_sip());
  config.pes_per_cube = static_cast<std::uint32_t>(spec.pes_per_cube());
  config.chiplets_per_sip = static_cast<std::uint32_t>(spec.io_chiplets.size());
  config.hbm_bytes_per_cube = spec.hbm_bytes_per_cube;
  config.hbm_slice_bytes = spec.hbm_slice_bytes();
  config.tcm_bytes_per_pe = spec.tcm_bytes_per_pe;
  config.tcm_scheduler_reserved_bytes = spec.tcm_scheduler_reserved_bytes;
  config.tcm_kernel_scratch_bytes = spec.tcm_kernel_scratch_bytes;
  config.sram_bytes_per_cube = spec.sram_bytes_per_cube;
  config.hbm_alignment = spec.flit_bytes();
  return config;
}

TcmPartition AddressConfig::tcm_partition() const {
  return TcmPartition::make(tcm_bytes_per_pe, tcm_kernel_scratch_bytes, tcm_scheduler_reserved_bytes);
}

std::optional<std::string> AddressConfig::capacity_problem(const PhysAddr& address, std::uint64_t nbytes) const {
  if (const auto missing = missing_part(*this, address)) return fmt::format("{}: {}", address.to_string(), *missing);
  const std::optional<std::uint64_t> bytes = implemented_bytes(*this, address);
  if (!bytes) {
    return fmt::format("{}: nothing is built behind {}", address.to_string(), target_kind_name(address.kind()));
  }
  if (address.offset() < *bytes && nbytes <= *bytes - address.offset()) return std::nullopt;
  return fmt::format("{}: an access of {} ends past the {} that are built there", address.to_string(),
                     format_bytes(nbytes), format_bytes(*bytes));
}

void AddressConfig::require_implemented(const PhysAddr& address, std::uint64_t nbytes) const {
  if (const auto problem = capacity_problem(address, nbytes)) throw Error::program("ADDRESS_ERROR", *problem);
}

}  // namespace kb::address
