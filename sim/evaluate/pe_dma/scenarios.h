// Who moves what where in the PE_DMA evaluation (E-49, E-50).
#pragma once

#include <string>
#include <vector>

#include "platform/base/ids.h"
#include "platform/topology/topology.h"

namespace kb::evaluate {

inline constexpr std::uint64_t kDmaBytes = 16384;  // of each issuer

struct DmaFlow {
  PeCoord issuer;
  PeCoord target;            // whose HBM partition
  std::uint64_t offset = 0;  // in the partition
};

struct DmaScenario {
  std::string name;
  bool congestion = false;
  std::vector<DmaFlow> flows;  // all begin at the same time
};

// Those that the machine can have, in the order of E-49. Near and far are by the latency of the way there, ties by
// index.
std::vector<DmaScenario> dma_scenarios(const topology::LoadedTopology& machine);

std::string pe_text(const PeCoord& pe);  // "sip0.cube0.pe3"

}  // namespace kb::evaluate
