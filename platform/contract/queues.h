// Configuration of the message queues between PEs, as the host sets it up (Q-13 .. Q-31). Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/machine_choices.h"
#include "platform/base/units.h"

namespace kb::contract {

// A receive ring in the memory of its owner. Message s of the queue is in slot s mod n_slots.
struct QueueRing {
  PeCoord owner;
  QueueMemory memory = QueueMemory::tcm;
  std::uint64_t base_pa = 0;  // physical address
  std::uint32_t n_slots = 0;
  std::uint64_t slot_size = 0;  // bytes

  std::uint64_t nbytes() const { return n_slots * slot_size; }
  std::uint64_t slot_pa(std::uint64_t sequence) const { return base_pa + sequence % n_slots * slot_size; }
};

// One direction of a PE. Rings are found by address only, so that the neighbour may use another name
// for the pair.
struct QueuePair {
  std::string direction;  // label, unique in the PE: "E", "global_W", "parent"
  // ring at the neighbour that receives this PE's messages; without it the PE cannot send
  std::optional<QueueRing> peer;
  std::optional<QueueRing> own;  // ring that receives the neighbour's messages; without it the PE cannot receive
};

struct PeQueues {
  PeCoord pe;
  std::vector<QueuePair> pairs;  // in the order of the direction list, which is the order of recv_any
};

// All queues of the machine. Installing a plan discards the earlier one.
struct QueuePlan {
  std::vector<PeQueues> pes;  // in (sip, cube, pe) order; a PE that is not listed has no queues
  Backpressure backpressure = Backpressure::sleep;
  TimeFs poll_interval = 1_ns;
  std::uint64_t credit_bytes = 16;
  QueueTransport credit = QueueTransport::annotated;
  // Cost model of slot accesses in HBM and SRAM; accesses in a TCM always use the formula.
  QueueTransport slot_access = QueueTransport::annotated;
};

}  // namespace kb::contract
