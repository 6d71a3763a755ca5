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
  const Bandwidth narrowest = narrowest_bw(graph, route);
  const std::uint64_t flit = graph.spec.flit_bytes();
  return time_sum(time_product(bytes / flit, narrowest.occupancy(flit)), narrowest.occupancy(bytes % flit));
}

TimeFs one_flit_latency_fs(const topology::Graph& graph, const Route& route, std::uint64_t bytes) {
  TimeFs sum = time_sum(wire_fs(graph, route), overhead_fs(graph, route));
  for (EdgeId edge : route.edges) sum = time_sum(sum, graph.edge(edge).bw.occupancy(bytes));
  return sum;
}

TimeFs path_latency_fs(const topology::Graph& graph, const Route& route, std::uint64_t bytes) {
  return time_sum(time_sum(wire_fs(graph, route), overhead_fs(graph, route)), drain_fs(graph, route, bytes));
}

Bandwidth narrowest_bw(const topology::Graph& graph, const Route& route) {
  Bandwidth narrowest;
  for (const EdgeId edge : route.edges) narrowest = std::min(narrowest, graph.edge(edge).bw);
  return narrowest;
}

}  // namespace kb::routing
