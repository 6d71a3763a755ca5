#include "platform/address/allocator.h"

#include <fmt/format.h>

#include "platform/base/error.h"
#include "platform/base/names.h"

namespace kb::address {
namespace {

void require_owned(bool owned, const PhysAddr& address, const FreeList& list) {
  if (!owned) throw Error::model(fmt::format("{} does not lie in {}", address.to_string(), list.memory()));
}

}  // namespace

PeAllocator::PeAllocator(const AddressConfig& config, const PeCoord& pe)
    : pe_(pe),
      slice_bytes_(config.hbm_slice_bytes),
      hbm_(pe_name(pe) + " HBM slice", 0, config.hbm_slice_bytes, config.hbm_alignment),
      tcm_(pe_name(pe) + " TCM", 0, config.tcm_allocatable_bytes(), config.tcm_alignment) {}

PhysAddr PeAllocator::alloc_hbm(std::int64_t nbytes) {
  return PhysAddr::pe_hbm_addr(pe_.sip, pe_.cube, pe_.pe, hbm_.alloc(nbytes), slice_bytes_);
}

void PeAllocator::free_hbm(const PhysAddr& address, std::int64_t nbytes) {
  const std::uint64_t first = pe_.pe.value * slice_bytes_;
  require_owned(address.is_hbm() && address.sip() == pe_.sip && address.cube() == pe_.cube &&
                    address.offset() >= first && address.offset() - first < slice_bytes_,
                address, hbm_);
  hbm_.free(address.hbm_offset() - first, nbytes);
}

PhysAddr PeAllocator::alloc_tcm(std::int64_t nbytes) {
  return PhysAddr::pe_tcm_addr(pe_.sip, pe_.cube, pe_.pe, tcm_.alloc(nbytes));
}

void PeAllocator::free_tcm(const PhysAddr& address, std::int64_t nbytes) {
  require_owned(address.is_tcm() && address.sip() == pe_.sip && address.cube() == pe_.cube && address.pe() == pe_.pe,
                address, tcm_);
  tcm_.free(address.offset(), nbytes);
}

SramAllocator::SramAllocator(const AddressConfig& config, SipId sip, CubeId cube)
    : sip_(sip),
      cube_(cube),
      list_(cube_name(sip, cube) + " SRAM", 0, config.sram_bytes_per_cube, config.sram_alignment) {}

PhysAddr SramAllocator::alloc(std::int64_t nbytes) {
  return PhysAddr::cube_sram_addr(sip_, cube_, list_.alloc(nbytes));
}

void SramAllocator::free(const PhysAddr& address, std::int64_t nbytes) {
  require_owned(address.is_sram() && address.sip() == sip_ && address.cube() == cube_, address, list_);
  list_.free(address.offset(), nbytes);
}

VaAllocator::VaAllocator(std::uint64_t page_size, std::uint64_t size)
    : list_("the virtual address space", kVaBase, size, page_size) {
  list_.set_failure_code("VA_ALLOCATION_ERROR");
}

VirtAddr VaAllocator::alloc(std::int64_t nbytes) {
  return VirtAddr(list_.alloc(nbytes));
}
void VaAllocator::free(VirtAddr address, std::int64_t nbytes) {
  list_.free(address.value, nbytes);
}

LaAllocator::LaAllocator(std::uint64_t alignment, std::uint64_t size)
    : list_("the logical address space", kLaBase, size, alignment) {
  list_.set_failure_code("LA_ALLOCATION_ERROR");
}

LogicalAddr LaAllocator::alloc(std::int64_t nbytes) {
  return LogicalAddr(list_.alloc(nbytes));
}
void LaAllocator::free(LogicalAddr address, std::int64_t nbytes) {
  list_.free(address.value, nbytes);
}

}  // namespace kb::address
