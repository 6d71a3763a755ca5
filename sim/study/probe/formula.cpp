#include "sim/study/probe/formula.h"

#include "platform/base/error.h"
#include "platform/params/memory_traits.h"
#include "platform/routing/latency.h"

namespace kb::sim {

PathFormula path_formula(const topology::Graph& graph, const std::vector<NodeId>& path, std::uint64_t bytes) {
  PathFormula formula;
  routing::Route route;
  route.nodes = path;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const std::optional<EdgeId> id = graph.find_edge(path[i], path[i + 1]);
    if (!id) throw Error::model("no edge from " + graph.node(path[i]).id + " to " + graph.node(path[i + 1]).id);
    route.edges.push_back(*id);
    if (graph.edge(*id).bw < formula.bottleneck_bw) {
      formula.bottleneck_bw = graph.edge(*id).bw;
      formula.bottleneck = id;
    }
  }
  formula.overhead = routing::overhead_fs(graph, route);
  formula.wire = routing::wire_fs(graph, route);
  formula.drain = routing::drain_fs(graph, route, bytes);
  return formula;
}

PathFormula read_formula(const topology::Graph& graph, const std::vector<NodeId>& path, std::uint64_t bytes) {
  PathFormula formula = path_formula(graph, path, bytes);
  const topology::Node& memory = graph.node(path.back());
  if (memory.kind == topology::NodeKind::hbm_ctrl) {
    formula.access = params::memory_traits(memory.params, memory.impl_params).access;
  }
  return formula;
}

double effective_gbs(std::uint64_t bytes, double total_ns) {
  return total_ns > 0.0 ? static_cast<double>(bytes) / total_ns : 0.0;
}

double utilisation_percent(double gbs, Bandwidth bottleneck) {
  return bottleneck.limited() ? gbs / bottleneck.gbs() * 100.0 : 0.0;
}

}  // namespace kb::sim
