// The routing rule written as plainly as possible: look at every simple path, keep the first in the total order.
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

// The best command route (every edge kind may be used), or nothing when there is none. `gave_up` is set when too many
// paths would have to be looked at.
std::optional<OracleRoute> best_route(const topology::Graph& graph, NodeId src, NodeId dst, bool& gave_up);

}  // namespace kb::test
