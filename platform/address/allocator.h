// Allocators of the memories that hold tensors and queues (A-59..A-65). They return complete addresses. They are
// keyed by machine structure, so that deploying again after a clean-up gives the same addresses.
#pragma once

#include <cstdint>

#include "platform/address/address_config.h"
#include "platform/address/address_space.h"
#include "platform/address/free_list.h"
#include "platform/base/ids.h"

namespace kb::address {

// Allocates the HBM slice and the TCM of one PE. Kernel scratch and the scheduler's part of the TCM are outside the
// capacity. Errors are those of FreeList, with code ALLOCATION_ERROR.
class PeAllocator {
 public:
  PeAllocator(const AddressConfig& config, const PeCoord& pe);

  PhysAddr alloc_hbm(std::int64_t nbytes);
  void free_hbm(const PhysAddr& address, std::int64_t nbytes);
  PhysAddr alloc_tcm(std::int64_t nbytes);
  void free_tcm(const PhysAddr& address, std::int64_t nbytes);

  const PeCoord& pe() const { return pe_; }
  const FreeList& hbm() const { return hbm_; }
  const FreeList& tcm() const { return tcm_; }
  bool pristine() const { return hbm_.pristine() && tcm_.pristine(); }

 private:
  PeCoord pe_;
  std::uint64_t slice_bytes_;
  FreeList hbm_, tcm_;
};

// Allocates the shared SRAM of one cube.
class SramAllocator {
 public:
  SramAllocator(const AddressConfig& config, SipId sip, CubeId cube);

  PhysAddr alloc(std::int64_t nbytes);
  void free(const PhysAddr& address, std::int64_t nbytes);

  const FreeList& list() const { return list_; }

 private:
  SipId sip_;
  CubeId cube_;
  FreeList list_;
};

inline constexpr std::uint64_t kVaBase = 0x1'0000'0000;
inline constexpr std::uint64_t kLaBase = 0x1'0000'0000;
inline constexpr std::uint64_t kLeastAddressRange = std::uint64_t{64} << 30;

// Allocates the device-wide virtual range. Sizes are rounded up to pages; the error code is VA_ALLOCATION_ERROR.
class VaAllocator {
 public:
  explicit VaAllocator(std::uint64_t page_size = 4096, std::uint64_t size = kLeastAddressRange);

  VirtAddr alloc(std::int64_t nbytes);
  void free(VirtAddr address, std::int64_t nbytes);

  const FreeList& list() const { return list_; }

 private:
  FreeList list_;
};

// Allocates the logical range like VaAllocator, in units of `alignment` bytes; the error code is
// LA_ALLOCATION_ERROR. A tensor has the same range at every PE that uses it.
class LaAllocator {
 public:
  explicit LaAllocator(std::uint64_t alignment = 256, std::uint64_t size = kLeastAddressRange);

  LogicalAddr alloc(std::int64_t nbytes);
  void free(LogicalAddr address, std::int64_t nbytes);

  const FreeList& list() const { return list_; }

 private:
  FreeList list_;
};

}  // namespace kb::address
