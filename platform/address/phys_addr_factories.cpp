#include <fmt/format.h>

#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/base/units.h"

namespace kb::address {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error::program("ADDRESS_ERROR", message);
}

void require_index(const char* name, std::uint32_t value, std::uint32_t limit) {
  if (value >= limit) refuse(fmt::format("{} {} is outside 0..{} of a physical address", name, value, limit - 1));
}

void require_offset(std::string_view what, std::uint64_t offset, std::uint64_t limit) {
  if (offset >= limit) refuse(fmt::format("{} offset {:#x} is past its {}", what, offset, format_bytes(limit)));
}

std::uint64_t die_base(SipId sip, std::uint32_t die) {
  require_index("sip", sip.value, kMaxSips);
  return (std::uint64_t{sip.value} << 47) | (std::uint64_t{die} << 42);
}

std::uint64_t cube_base(SipId sip, CubeId cube) {
  require_index("cube", cube.value, kMaxCubes);
  return die_base(sip, cube.value);
}

std::uint64_t chiplet_base(SipId sip, ChipletId chiplet) {
  require_index("IO chiplet", chiplet.value, kMaxChiplets);
  return die_base(sip, kMaxCubes + chiplet.value);
}

}  // namespace

PhysAddr PhysAddr::hbm_addr(SipId sip, CubeId cube, std::uint64_t hbm_offset) {
  require_offset("HBM", hbm_offset, kHbmWindowBytes);
  return decode(cube_base(sip, cube) | kHbmWindowBytes | hbm_offset);
}

PhysAddr PhysAddr::pe_hbm_addr(SipId sip, CubeId cube, PeId pe, std::uint64_t offset, std::uint64_t slice_bytes) {
  require_index("pe", pe.value, kMaxPes);
  if (slice_bytes == 0 || slice_bytes > kHbmWindowBytes) {
    refuse(fmt::format("an HBM slice of {} bytes does not fit the window of {}", slice_bytes,
                       format_bytes(kHbmWindowBytes)));
  }
  require_offset("HBM slice", offset, slice_bytes);
  return hbm_addr(sip, cube, pe.value * slice_bytes + offset);
}

PhysAddr PhysAddr::pe_tcm_addr(SipId sip, CubeId cube, PeId pe, std::uint64_t tcm_offset) {
  return pe_resource_addr(sip, cube, pe, PeUnit::pe_tcm, tcm_offset);
}

PhysAddr PhysAddr::pe_resource_addr(SipId sip, CubeId cube, PeId pe, PeUnit unit, std::uint64_t offset) {
  require_index("pe", pe.value, kMaxPes);
  require_offset(unit_name(unit), offset, unit_budget(unit));
  return decode(cube_base(sip, cube) | (std::uint64_t{pe.value} << 29) | (static_cast<std::uint64_t>(unit) << 25) |
                offset);
}

PhysAddr PhysAddr::mcpu_resource_addr(SipId sip, CubeId cube, McpuUnit unit, std::uint64_t offset) {
  require_offset(unit_name(unit), offset, unit_budget(unit));
  return decode(cube_base(sip, cube) | (std::uint64_t{1} << 34) | (static_cast<std::uint64_t>(unit) << 25) | offset);
}

PhysAddr PhysAddr::cube_sram_addr(SipId sip, CubeId cube, std::uint64_t sram_offset) {
  require_offset("CUBE_SRAM", sram_offset, kSramWindowBytes);
  return decode(cube_base(sip, cube) | (std::uint64_t{2} << 34) | sram_offset);
}

PhysAddr PhysAddr::iocpu_resource_addr(SipId sip, ChipletId chiplet, IocpuUnit unit, std::uint64_t offset) {
  require_offset(unit_name(unit), offset, unit_budget(unit));
  return decode(chiplet_base(sip, chiplet) | (static_cast<std::uint64_t>(unit) << 27) | offset);
}

PhysAddr PhysAddr::ual_addr(SipId sip, ChipletId chiplet, std::uint64_t chiplet_offset) {
  if (chiplet_offset < kUalBase) {
    refuse(fmt::format("UAL begins at chiplet offset {:#x}, so {:#x} is not in it", kUalBase, chiplet_offset));
  }
  require_offset("UAL chiplet", chiplet_offset, kChipletWindowBytes);
  return decode(chiplet_base(sip, chiplet) | chiplet_offset);
}

}  // namespace kb::address
