// Message queues between PEs as the host sets them up (Q-13 .. Q-31). Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/machine_choices.h"
#include "platform/base/units.h"

namespace kb::contract {

// A receive ring in its owner's memory. Message s of the queue is in slot s mod n_slots.
struct QueueRing {
  PeCoord owner;
  QueueMemory memory = QueueMemory::tcm;
  std::uint64_t base_pa = 0;  // a real physical address
  std::uint32_t n_slots = 0;
  std::uint64_t slot_size = 0;  // bytes

  std::uint64_t nbytes() const { return n_slots * slot_size; }
  std::uint64_t slot_pa(std::uint64_t sequence) const { return base_pa + sequence % n_slots * slot_size; }
};

// One direction of a PE. Rings are found by address only: a pair does not say what its neighbour
// calls it.
struct QueuePair {
  std::string direction;          // label, unique in the PE: "E", "global_W", "parent"
  std::optional<QueueRing> peer;  // where this PE's messages go; none: nothing can be sent
  std::optional<QueueRing> own;   // where its neighbour's messages come in; none: nothing can be received
};

struct PeQueues {
  PeCoord pe;
  std::vector<QueuePair> pairs;  // in the order of the direction list, in which recv_any serves them
};

// Everything the PEs must know to exchange messages. What it replaces is forgotten.
struct QueuePlan {
  std::vector<PeQueues> pes;  // in (sip, cube, pe) order; PEs that are not named have no queues
  Backpressure backpressure = Backpressure::sleep;
  TimeFs poll_interval = 1_ns;
  std::uint64_t credit_bytes = 16;
  QueueTransport credit = QueueTransport::annotated;
  // What accesses to slots in HBM and SRAM cost; those in a TCM are by formula always.
  QueueTransport slot_access = QueueTransport::annotated;
};

}  // namespace kb::contract
