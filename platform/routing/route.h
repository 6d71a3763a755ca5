#pragma once

#include <cstdint>
#include <vector>

#include "platform/base/ids.h"

namespace kb::routing {

// A path through the graph, both ends included.
struct Route {
  std::vector<NodeId> nodes;
  std::vector<EdgeId> edges;          // edges[i]: nodes[i] -> nodes[i+1]
  std::vector<EdgeId> reverse_edges;  // reverse_edges[i]: nodes[i+1] -> nodes[i]
  std::int64_t weight = 0;            // sum of the edges' routing weights (F-8, F-19)
};

}  // namespace kb::routing
