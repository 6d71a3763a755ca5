// Allocators of the memories that tensors and queues live in (A-59..A-65). Each returns complete addresses and is
// keyed by structure, so that deploy, clean-up and deploy again gives the same addresses.
#pragma once

#include <cstdint>

#include "platform/address/address_config.h"
#include "platform/address/address_space.h"
#include "platform/address/free_list.h"
#include "platform/base/ids.h"

namespace kb::address {

// HBM slice and TCM of one PE. Kernel scratch and the scheduler's part of the TCM are outside the capacity.
// Errors as FreeList; code ALLOCATION_ERROR.
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

// The shared SRAM of one cube.
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
inline constexpr std::uint64_t kVaBytes = std::uint64_t{64} << 30;

inline constexpr std::uint64_t kLaBase = 0x1'0000'0000;
inline constexpr std::uint64_t kLaBytes = std::uint64_t{64} << 30;

// The device-wide virtual range: sizes are rounded up to pages; code VA_ALLOCATION_ERROR.
class VaAllocator {
 public:
  explicit VaAllocator(std::uint64_t page_size = 4096, std::uint64_t base = kVaBase, std::uint64_t size = kVaBytes);

  VirtAddr alloc(std::int64_t nbytes);
  void free(VirtAddr address, std::int64_t nbytes);

  const FreeList& list() const { return list_; }

 private:
  FreeList list_;
};

// The logical range: by the algorithm of VaAllocator, in units of `alignment` bytes; code
// LA_ALLOCATION_ERROR. A tensor has the same range at every PE that sees it.
class LaAllocator {
 public:
  explicit LaAllocator(std::uint64_t alignment = 256, std::uint64_t base = kLaBase, std::uint64_t size = kLaBytes);

  LogicalAddr alloc(std::int64_t nbytes);
  void free(LogicalAddr address, std::int64_t nbytes);

  const FreeList& list() const { return list_; }

 private:
  FreeList list_;
};

}  // namespace kb::address
