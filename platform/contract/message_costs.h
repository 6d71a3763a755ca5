// What messages between PEs cost on an idle machine, for those who choose how PEs talk to each other. Plain data.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/quantities.h"
#include "platform/base/units.h"

namespace kb::contract {

// The way of a message from PE_DMA to PE_DMA.
struct MessageRoute {
  TimeFs latency = 0_fs;  // every overhead and propagation
  TimeFs credit = 0_fs;   // latency of the credit that travels back
  struct Wire {
    std::uint32_t id = 0;  // the same for all routes that share the wire
    Bandwidth bw;
    bool stored = false;  // the node at its end sends a message on when it has all of it (C-PCIE-6)
  };
  std::vector<Wire> wires;
  std::uint64_t flit_bytes = 256;  // stored and forwarded by every node
};

// What a PE needs beside the way. Every PE of a machine has the same.
struct PeCosts {
  TimeFs slot_setup = 0_fs;  // writing or reading a slot of a ring: setup + bytes * per byte
  double slot_ns_per_byte = 0;
  TimeFs memory_latency = 0_fs;  // a load or store of its HBM slice: latency + bytes / bandwidth
  Bandwidth memory_bw;
  ElementRate additions{1.0};  // throughput of an addition
};

}  // namespace kb::contract
