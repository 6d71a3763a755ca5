// The formula latency of a measured path and its parts (F-63 .. F-66): a lower bound of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/base/units.h"
#include "platform/topology/graph.h"

namespace kb::sim {

struct PathFormula {
  TimeFs overhead = 0_fs;  // all nodes, including both ends
  TimeFs access = 0_fs;    // read from HBM: latency between a burst and its data
  TimeFs wire = 0_fs;
  TimeFs drain = 0_fs;
  Bandwidth bottleneck_bw;           // of the narrowest edge; unlimited when no edge is limited
  std::optional<EdgeId> bottleneck;  // the first such edge

  TimeFs total() const { return overhead + access + wire + drain; }
};

// Consecutive nodes of `path` must be connected; otherwise model Error.
PathFormula path_formula(const topology::Graph& graph, const std::vector<NodeId>& path, std::uint64_t bytes);
// The formula of a read, whose command travels along the path to the memory at its end.
PathFormula read_formula(const topology::Graph& graph, const std::vector<NodeId>& path, std::uint64_t bytes);

// Bytes per ns over a duration, and the percentage of the bottleneck; 0 without a bottleneck.
double effective_gbs(std::uint64_t bytes, double total_ns);
double utilisation_percent(double gbs, Bandwidth bottleneck);

}  // namespace kb::sim
