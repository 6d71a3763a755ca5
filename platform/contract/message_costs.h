// Costs of messages between PEs on an idle machine, for code that chooses an algorithm. Plain data.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/quantities.h"
#include "platform/base/units.h"

namespace kb::contract {

// Route of a message from PE_DMA to PE_DMA.
struct MessageRoute {
  TimeFs latency = 0_fs;  // all overheads and propagation delays
  TimeFs credit = 0_fs;   // latency of the returning credit
  struct Wire {
    std::uint32_t id = 0;  // equal in all routes that share the wire
    Bandwidth bw;
    bool stored = false;  // the node at its end stores a message completely before it forwards it (C-PCIE-6)
  };
  std::vector<Wire> wires;
  std::uint64_t flit_bytes = 256;  // unit that every node stores and forwards
};

// Costs inside a PE, in addition to the route. They are equal for every PE of a machine.
struct PeCosts {
  TimeFs slot_setup = 0_fs;  // writing or reading a slot of a ring: setup + bytes * per byte
  double slot_ns_per_byte = 0;
  TimeFs memory_latency = 0_fs;  // load or store in its HBM slice: latency + bytes / bandwidth
  Bandwidth memory_bw;
  ElementRate additions{1.0};  // throughput of an addition
};

}  // namespace kb::contract
