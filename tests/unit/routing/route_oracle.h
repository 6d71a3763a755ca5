// Direct implementation of the routing rule: the first of all simple paths in the total order.
#pragma once

#include <optional>
#include <vector>

#include "platform/base/ids.h"
#include "platform/topology/graph.h"

namespace kb::test {

struct OracleRoute {
  std::int64_t weight = 0;  // femtoseconds or micrometres, by the metric of the graph
  std::vector<NodeId> nodes;
};

// The best command route (every edge kind may be used); no value when there is none. Sets `gave_up` when there are too
// many paths.
std::optional<OracleRoute> best_route(const topology::Graph& graph, NodeId src, NodeId dst, bool& gave_up);

}  // namespace kb::test
