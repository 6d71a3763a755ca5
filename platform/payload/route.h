#pragma once

#include <cstdint>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/units.h"

namespace kb::payload {

// Marks the missing port at either end of a route.
inline constexpr std::uint16_t kNoPort = 0xffff;

// A route with the port numbers of each node, so that a hop is one array access.
struct FabricRoute {
  // Ports of nodes[i]; adjacent in memory, because every hop reads both.
  struct Ports {
    std::uint16_t forward = kNoPort;  // towards nodes[i+1]
    std::uint16_t reverse = kNoPort;  // towards nodes[i-1]
  };
  std::vector<NodeId> nodes;
  std::vector<Ports> ports;
  TimeFs formula_fs = 0_fs;  // overheads + propagation, without drain (F-63)

  std::uint16_t last_hop() const { return static_cast<std::uint16_t>(nodes.size() - 1); }
};

}  // namespace kb::payload
