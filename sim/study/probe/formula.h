// The formula latency of a measured path in its parts (F-63 .. F-66): a lower bound of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/base/units.h"
#include "platform/topology/graph.h"

namespace kb::sim {

struct PathFormula {
  TimeFs overhead = 0_fs;  // all nodes, both ends included
  TimeFs access = 0_fs;    // of a read from HBM, between a burst and its data
  TimeFs wire = 0_fs;
  TimeFs drain = 0_fs;
  Bandwidth bottleneck_bw;           // of the narrowest edge; none = no edge of the path is limited
  std::optional<EdgeId> bottleneck;  // first such edge

  TimeFs total() const { return overhead + access + wire + drain; }
};

// The nodes of `path` follow each other. Model Error when two of them have no edge.
PathFormula path_formula(const topology::Graph& graph, const std::vector<NodeId>& path, std::uint64_t bytes);
// The same of a read, whose command goes along the path to the memory at its end.
PathFormula read_formula(const topology::Graph& graph, const std::vector<NodeId>& path, std::uint64_t bytes);

// Bytes per ns over a duration, and as a share of the bottleneck; 0 without one.
double effective_gbs(std::uint64_t bytes, double total_ns);
double utilisation_percent(double gbs, Bandwidth bottleneck);

}  // namespace kb::sim
