// Memory of the device as the host hands it out: allocators per (sip, cube, pe) and per cube, made on first use (A-59,
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

// Capacities of the machine as the allocators and the check of addresses need them.
address::AddressConfig address_config(const contract::MachineInfo& machine);

// Memory for other things than tensors: the rings of message queues. Given back with the object, at the
// latest; it may outlive its DeviceMemory.
class MemoryReservation {
 public:
  struct Block {
    PeCoord owner;  // SRAM belongs to a cube: the PE is not valid
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
  // Bytes for one owner: a PE, or for SRAM a cube (the PE is ignored).
  struct Request {
    PeCoord owner;
    std::uint64_t nbytes = 0;
  };
  // A request that finds no room: what is left there and what an empty memory of that kind has.
  struct Shortage {
    Request request;
    std::uint64_t free_bytes = 0;
    std::uint64_t largest_free_block = 0;
    std::uint64_t capacity = 0;
  };

  explicit DeviceMemory(const contract::MachineInfo& machine);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // One block per shard, all or none; in SRAM one per cube and range. Program Error ALLOCATION_ERROR with the tensor's
  // name, the needed and the free size and the PE or cube that is full, of a TCM also what its other parts take.
  std::vector<contract::Shard> allocate(const std::string& tensor, const std::vector<ShardSpec>& placement,
                                        MemoryKind memory = MemoryKind::hbm);
  void free(const std::vector<contract::Shard>& shards, MemoryKind memory = MemoryKind::hbm);

  // The first of the requests, each of another owner, that does not fit.
  std::optional<Shortage> shortage(QueueMemory memory, const std::vector<Request>& requests);
  // One block per request, all or none, disjoint from tensors and from each other. Program Error ALLOCATION_ERROR
  // naming memory and sizes.
  MemoryReservation reserve(QueueMemory memory, const std::vector<Request>& requests);

  // What is free of the memory that a PE's shards lie in.
  std::uint64_t free_bytes(const PeCoord& pe, MemoryKind memory = MemoryKind::hbm) const;
  bool pristine() const;  // every free list is back in its initial state

 private:
  std::shared_ptr<MemoryReservation::Banks> banks_;
};

}  // namespace kb::sw
