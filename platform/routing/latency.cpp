#include "platform/routing/latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/base/error.h"

namespace kb::routing {

TimeFs propagation_fs(const topology::Edge& edge, double ns_per_mm) {
  const double ns = edge.distance_mm * ns_per_mm;
  if (!std::isfinite(ns) || ns < 0.0 || ns > 1.0e12) {
    throw Error::configuration(
        fmt::format("a wire of {} mm at {} ns per mm has no usable propagation time", edge.distance_mm, ns_per_mm));
  }
  return std::max(1_fs, TimeFs(std::llround(ns * static_cast<double>(kFsPerNs))));
}

TimeFs node_overhead_fs(const topology::Node& node) {
  return node.overhead;
}

TimeFs wire_fs(const topology::Graph& graph, const Route& route) {
  TimeFs sum = 0_fs;
  for (EdgeId edge : route.edges) sum = time_sum(sum, propagation_fs(graph.edge(edge), graph.spec.ns_per_mm));
  return sum;
}

TimeFs overhead_fs(const topology::Graph& graph, const Route& route) {
  TimeFs sum = 0_fs;
  for (NodeId node : route.nodes) sum = time_sum(sum, node_overhead_fs(graph.node(node)));
  return sum;
}

TimeFs drain_fs(const topology::Graph& graph, const Route& route, std::uint64_t bytes) {
  if (bytes == 0) return 0_fs;
  const double narrowest = narrowest_gbs(graph, route);
  const std::uint64_t flit = graph.spec.flit_bytes();
  return time_sum(time_product(bytes / flit, occupancy_fs(flit, narrowest)), occupancy_fs(bytes % flit, narrowest));
}

TimeFs one_flit_latency_fs(const topology::Graph& graph, const Route& route, std::uint64_t bytes) {
  TimeFs sum = time_sum(wire_fs(graph, route), overhead_fs(graph, route));
  for (EdgeId edge : route.edges) {
    sum = time_sum(sum, occupancy_fs(bytes, graph.edge(edge).bw_gbs.value_or(0.0)));
  }
  return sum;
}

TimeFs path_latency_fs(const topology::Graph& graph, const Route& route, std::uint64_t bytes) {
  return time_sum(time_sum(wire_fs(graph, route), overhead_fs(graph, route)), drain_fs(graph, route, bytes));
}

double narrowest_gbs(const topology::Graph& graph, const Route& route) {
  double narrowest = 0;
  for (const EdgeId edge : route.edges) {
    const double gbs = graph.edge(edge).bw_gbs.value_or(0.0);
    if (gbs > 0 && (narrowest == 0 || gbs < narrowest)) narrowest = gbs;
  }
  return narrowest;
}

}  // namespace kb::routing
