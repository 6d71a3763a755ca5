#pragma once

#include <cstdint>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/units.h"

namespace kb::payload {

// A route with each node's port numbers filled in, so that a hop is one array access.
struct FabricRoute {
  std::vector<NodeId> nodes;
  std::vector<std::uint16_t> forward_port;  // [i]: port of nodes[i] towards nodes[i+1]; the last entry is unused
  std::vector<std::uint16_t> reverse_port;  // [i]: port of nodes[i] towards nodes[i-1]; the first entry is unused
  TimeFs formula_fs = 0;                    // overheads + propagation, without drain (F-63)

  std::uint16_t last_hop() const { return static_cast<std::uint16_t>(nodes.size() - 1); }
};

}  // namespace kb::payload
