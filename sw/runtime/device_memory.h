// Allocation of device memory by the host: allocators per (sip, cube, pe) and per cube, created on first use (A-59,
//
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/address/allocator.h"
#include "platform/contract/machine_info.h"
#include "platform/contract/queues.h"
#include "sw/tensor/placement.h"

namespace kb::contract {
struct Shard;
}

namespace kb::sw {

// Capacities of the machine, for the allocators and the check of addresses.
address::AddressConfig address_config(const contract::MachineInfo& machine);

// Reserved memory that does not belong to tensors: the rings of message queues. The destructor releases
// it; it may outlive its DeviceMemory.
class MemoryReservation {
 public:
  struct Block {
    PeCoord owner;  // for SRAM, which belongs to a cube, the PE is not valid
    std::uint64_t pa = 0;
    std::uint64_t nbytes = 0;
  };

  MemoryReservation() = default;
  MemoryReservation(MemoryReservation&& other) noexcept { *this = std::move(other); }
  MemoryReservation& operator=(MemoryReservation&& other) noexcept;
  ~MemoryReservation() { release(); }

  QueueMemory memory() const { return memory_; }
  const std::vector<Block>& blocks() const { return blocks_; }  // in the order of the request
  void release() noexcept;

 private:
  friend class DeviceMemory;
  struct Banks;

  std::weak_ptr<Banks> banks_;
  QueueMemory memory_ = QueueMemory::tcm;
  std::vector<Block> blocks_;
};

class DeviceMemory {
 public:
  // Bytes for one owner: a PE, or a cube for SRAM (the PE is ignored).
  struct Request {
    PeCoord owner;
    std::uint64_t nbytes = 0;
  };
  // A request that does not fit, with the free size and the total size of such a memory.
  struct Shortage {
    Request request;
    std::uint64_t free_bytes = 0;
    std::uint64_t largest_free_block = 0;
    std::uint64_t capacity = 0;
  };

  explicit DeviceMemory(const contract::MachineInfo& machine);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Allocates one block per shard (in SRAM one per cube and range), or none at all on failure. Program Error
  // ALLOCATION_ERROR with the tensor's name, the needed and the free size, and the PE or cube that is full; for a TCM
  // also the size of its other parts.
  std::vector<contract::Shard> allocate(const std::string& tensor, const std::vector<ShardSpec>& placement,
                                        MemoryKind memory = MemoryKind::hbm);
  void free(const std::vector<contract::Shard>& shards, MemoryKind memory = MemoryKind::hbm);

  // The first request that does not fit; every request has a different owner.
  std::optional<Shortage> shortage(QueueMemory memory, const std::vector<Request>& requests);
  // Reserves one block per request, disjoint from tensors and each other, or none at all on failure. Program Error
  // ALLOCATION_ERROR with memory and sizes.
  MemoryReservation reserve(QueueMemory memory, const std::vector<Request>& requests);

  // Free bytes of the memory that holds a PE's shards.
  std::uint64_t free_bytes(const PeCoord& pe, MemoryKind memory = MemoryKind::hbm) const;
  bool pristine() const;  // all free lists are in their initial state

 private:
  std::shared_ptr<MemoryReservation::Banks> banks_;
};

}  // namespace kb::sw
