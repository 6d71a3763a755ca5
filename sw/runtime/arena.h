// A part of the HBM of a SIP in which a program places its tensors itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sw/runtime/device_memory.h"

namespace kb::contract {
struct Shard;
}

namespace kb::sw {

// The same offsets, [0, slice_bytes()), in the HBM slices of all PEs of a SIP. The tensors in it may share bytes: a
// program knows when it needs which. It belongs to the tensors in it, and is free when the last one is gone.
class Arena {
 public:
  // Program Error ALLOCATION_ERROR when a slice has no room, or when tensors of the program lie so that no offset is
  // free in all slices.
  Arena(DeviceMemory& memory, const contract::MachineInfo& machine, SipId sip, std::uint64_t slice_bytes);

  SipId sip() const { return sip_; }
  std::uint64_t slice_bytes() const { return slice_bytes_; }
  // Shards at `offset` of their slices. Program Error ALLOCATION_ERROR when one ends beyond the arena.
  std::vector<contract::Shard> place(const std::string& tensor, const std::vector<ShardSpec>& placement,
                                     std::uint64_t offset) const;

 private:
  SipId sip_;
  std::uint64_t slice_bytes_;
  MemoryReservation reservation_;
  std::map<PeCoord, std::uint64_t> bases_;
};

}  // namespace kb::sw
