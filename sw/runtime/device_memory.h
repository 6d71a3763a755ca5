// HBM of the PEs as the host hands it out: one allocator per (sip, cube, pe), made on first use.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/address/allocator.h"
#include "platform/contract/i_host.h"
#include "sw/tensor/placement.h"

namespace kb::sw {

class DeviceMemory {
 public:
  explicit DeviceMemory(const contract::MachineInfo& machine);

  // One block per shard, all or none. Program Error ALLOCATION_ERROR with the tensor's name, the needed and the free
  // size and the PE that is full.
  std::vector<contract::Shard> allocate(const std::string& tensor, const std::vector<ShardSpec>& placement);
  void free(const std::vector<contract::Shard>& shards);

  std::uint64_t free_bytes(const PeCoord& pe) const;  // of its HBM slice
  bool pristine() const;                              // every free list is back in its initial state

 private:
  address::PeAllocator& allocator(const PeCoord& pe);

  address::AddressConfig config_;
  std::map<PeCoord, std::unique_ptr<address::PeAllocator>> allocators_;
};

}  // namespace kb::sw
