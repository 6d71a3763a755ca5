// No PE reaches a memory on a longer way than it has to, on any shipped machine (F-8): every route beside an
// independent search over single nodes, which knows neither cells nor links.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <queue>

#include "platform/routing/address_resolver.h"
#include "platform/routing/path_router.h"
#include "tests/unit/routing/machines.h"

namespace kb::routing {
namespace {

using topology::EdgeKind;
using topology::Graph;
using topology::NodeKind;

// Least zero-load time of a full flit from one PE_DMA to every node, in ns. A state is an edge, so that the way into a
// UCIe endpoint is known. It may pass a cube twice, so it is a lower bound for legal routes.
class Fastest {
 public:
  Fastest(const Graph& graph, NodeId pe_dma) : graph_(graph) {
    best_.assign(graph.nodes.size(), HUGE_VAL);
    done_.assign(graph.edges.size(), false);
    push_out(pe_dma, 0.0, nullptr);
    while (!open_.empty()) {
      const auto [time, id] = open_.top();
      open_.pop();
      if (done_[id.value]) continue;
      done_[id.value] = true;
      const topology::Edge& edge = graph.edge(id);
      best_[edge.dst.value] = std::min(best_[edge.dst.value], time);
      if (may_pass(graph.node(edge.dst))) push_out(edge.dst, time, &edge);
    }
  }
  double to(NodeId node) const { return best_[node.value]; }

 private:
  using Entry = std::pair<double, EdgeId>;

  void push_out(NodeId node, double time, const topology::Edge* before) {
    const auto [begin, end] = graph_.out_edges(node);
    for (const EdgeId* id = begin; id != end; ++id) {
      const topology::Edge& edge = graph_.edge(*id);
      if (edge.kind == EdgeKind::command || done_[id->value] || turns(before, edge)) continue;
      open_.push({time + ns_of(edge), *id});
    }
  }
  bool turns(const topology::Edge* before, const topology::Edge& edge) const {
    return before != nullptr && graph_.node(edge.src).kind == NodeKind::ucie &&
           graph_.node(before->src).kind == NodeKind::ucie_conn && graph_.node(edge.dst).kind == NodeKind::ucie_conn;
  }
  bool may_pass(const topology::Node& node) const {
    switch (node.kind) {
      case NodeKind::noc_router:
      case NodeKind::ucie:
      case NodeKind::ucie_conn:
      case NodeKind::io_noc:
      case NodeKind::switch_:
      case NodeKind::pcie_ep:  // between SIPs; inside one it is a dead end or a detour
        return true;
      default:
        return false;
    }
  }
  double ns_of(const topology::Edge& edge) const {
    const double flit = edge.bw_gbs ? static_cast<double>(graph_.spec.flit_bytes()) / *edge.bw_gbs : 0.0;
    return edge.distance_mm * graph_.spec.ns_per_mm + flit + fs_to_ns(graph_.node(edge.dst).overhead);
  }

  const Graph& graph_;
  std::vector<double> best_;
  std::vector<bool> done_;
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const { return a.first > b.first; }
  };
  std::priority_queue<Entry, std::vector<Entry>, Later> open_;
};

class FastestRoute : public testing::TestWithParam<const char*> {};

TEST_P(FastestRoute, NoPairOfPesIsAboveTheBestLegalRoute) {
  const Graph graph = topology::load(std::string(KB_SOURCE_DIR "/configs/") + GetParam()).graph;
  PathRouter router(graph);
  const AddressResolver resolver(graph);
  const topology::MachineSpec& spec = graph.spec;
  // SIPs are alike, so routes from one of them, to itself and to another, are enough.
  std::vector<PeCoord> pes;
  for (std::uint32_t s = 0; s < static_cast<std::uint32_t>(std::min(spec.sip_count, 2)); ++s) {
    for (std::uint32_t c = 0; c < static_cast<std::uint32_t>(spec.cubes_per_sip()); ++c) {
      for (std::uint32_t p = 0; p < static_cast<std::uint32_t>(spec.pes_per_cube()); ++p) {
        pes.push_back({SipId(s), CubeId(c), PeId(p)});
      }
    }
  }
  for (const PeCoord& src : pes) {
    if (src.sip != SipId(0)) continue;
    const NodeId pe_dma = resolver.find_pe_node(src, NodeKind::pe_dma);
    const Fastest fastest(graph, pe_dma);
    for (const PeCoord& dst : pes) {
      if (src.sip == dst.sip && src.cube == dst.cube) continue;  // F-17 keeps these on the mesh
      const Route& route = router.find_path(pe_dma, resolver.find_hbm(dst));
      double ns = 0.0;
      for (EdgeId edge : route.edges) ns += fs_to_ns(TimeFs(edge_weight(graph, graph.edge(edge))));
      ASSERT_LE(ns, 1.001 * fastest.to(resolver.find_hbm(dst)))
          << graph.node(pe_dma).id << " -> " << graph.node(resolver.find_hbm(dst)).id;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ShippedMachines, FastestRoute,
                         testing::Values("reference.yaml", "one_sip.yaml", "one_cube.yaml", "six_sips_torus.yaml",
                                         "large.yaml"),
                         [](const auto& machine) {
                           const std::string name = machine.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace kb::routing
