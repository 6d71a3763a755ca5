// What the blocks of a run counted, by node.
#pragma once

#include <optional>
#include <vector>

#include "platform/topology/graph.h"
#include "sim/run/driver/run_record.h"

namespace kb::sim {

// A Sum with all statistics of all nodes: its add(node, name, value) takes those that it needs.
template <typename Sum>
Sum statistics_of(const std::vector<BlockRecord>& blocks, const topology::Graph& graph) {
  Sum sum;
  for (const BlockRecord& block : blocks) {
    const std::optional<NodeId> node = graph.find_node(block.node);
    if (!node) continue;
    for (const StatisticRecord& one : block.statistics) sum.add(*node, one.name, one.value);
  }
  return sum;
}

}  // namespace kb::sim
