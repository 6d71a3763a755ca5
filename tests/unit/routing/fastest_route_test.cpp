// No PE reaches a memory on a longer way than it has to, on any shipped machine (F-8), nor passes a cube twice (F-23):
// every route beside an independent search over single nodes, which knows neither cells nor links.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <random>
#include <set>

#include "platform/routing/address_resolver.h"
#include "platform/routing/path_router.h"
#include "tests/support/random_machine.h"
#include "tests/support/shortened.h"
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
    const double flit = edge.bw.limited() ? static_cast<double>(graph_.spec.flit_bytes()) / edge.bw.gbs() : 0.0;
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

void expect_no_cube_twice(const Graph& graph, const Route& route) {
  std::set<std::pair<SipId, CubeId>> left;
  std::pair<SipId, CubeId> here;
  for (const NodeId id : route.nodes) {
    const topology::Node& node = graph.node(id);
    const std::pair now{node.sip, node.cube};
    if (now == here) continue;
    ASSERT_TRUE(!now.second.valid() || left.insert(now).second)
        << graph.node(route.nodes.front()).id << " -> " << graph.node(route.nodes.back()).id << " comes to " << node.id
        << " again";
    here = now;
  }
}

std::vector<PeCoord> all_pes(const topology::MachineSpec& spec) {
  std::vector<PeCoord> pes;
  for (std::uint32_t s = 0; s < static_cast<std::uint32_t>(spec.sip_count); ++s) {
    for (std::uint32_t c = 0; c < static_cast<std::uint32_t>(spec.cubes_per_sip()); ++c) {
      for (std::uint32_t p = 0; p < static_cast<std::uint32_t>(spec.pes_per_cube()); ++p) {
        pes.push_back({SipId(s), CubeId(c), PeId(p)});
      }
    }
  }
  return pes;
}

class FastestRoute : public testing::TestWithParam<const char*> {};

TEST_P(FastestRoute, NoPairOfPesIsAboveTheBestLegalRouteNorPassesACubeTwice) {
  if (test::is_shortened() && std::string(GetParam()) == "large.yaml") GTEST_SKIP() << "takes long under sanitizers";
  const Graph graph = topology::load(std::string(KB_SOURCE_DIR "/configs/") + GetParam()).graph;
  PathRouter router(graph);
  const AddressResolver resolver(graph);
  const std::vector<PeCoord> pes = all_pes(graph.spec);
  // Every pair of up to 256 PEs; of more, all from the first SIP to itself and its neighbour, and drawn ones from all.
  const bool every = pes.size() <= 256;
  std::mt19937 random(20261122);
  for (const PeCoord& src : pes) {
    if (!every && src.sip != SipId(0) && random() % 32 != 0) continue;
    const NodeId pe_dma = resolver.find_pe_node(src, NodeKind::pe_dma);
    const Fastest fastest(graph, pe_dma);
    for (const PeCoord& dst : pes) {
      if (!every && (src.sip == SipId(0) ? dst.sip.value > 1 : random() % 16 != 0)) continue;
      if (src.sip == dst.sip && src.cube == dst.cube) continue;  // F-17 keeps these on the mesh
      const Route& route = router.find_path(pe_dma, resolver.find_hbm(dst));
      double ns = 0.0;
      for (EdgeId edge : route.edges) ns += fs_to_ns(TimeFs(edge_weight(graph, graph.edge(edge))));
      ASSERT_LE(ns, 1.001 * fastest.to(resolver.find_hbm(dst)))
          << graph.node(pe_dma).id << " -> " << graph.node(resolver.find_hbm(dst)).id;
      ASSERT_NO_FATAL_FAILURE(expect_no_cube_twice(graph, route));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ShippedMachines, FastestRoute,
                         testing::Values("reference.yaml", "one_sip.yaml", "one_cube.yaml", "six_sips_torus.yaml",
                                         "large.yaml", "hbm3.yaml"),
                         [](const auto& machine) {
                           const std::string name = machine.param;
                           return name.substr(0, name.find('.'));
                         });

// No topology file leaves a pair without a legal route, so "no path from X to Y" (F-18) is for graphs made by hand:
// cubes are a full grid whose UCIe seams nothing removes, every cube and chiplet has at least one connection per port
// (n_connections >= 1), holes of a mesh file may not cut a cube's routers into parts (`holes`), a chiplet without ports
// and a port on an inner side of the grid are refused, `replace` changes blocks and no edges, bandwidths are above 0,
// and routing_weight_mm is a length that makes a route dearer but never illegal. A straight line of cubes enters no
// cube twice and turns at no UCIe endpoint, so the rules of F-23 always leave one. These are machines at the edges of
// what files may say, with every purpose of a route.
TEST(RoutesOfAnyMachine, Exist) {
  std::size_t routes = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const topology::LoadedTopology loaded = test::random_machine(random);
    const Graph& graph = loaded.graph;
    PathRouter router(graph);
    const AddressResolver resolver(graph);
    const std::vector<PeCoord> pes = all_pes(graph.spec);
    std::vector<NodeId> hosts;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      if (graph.nodes[i].kind == NodeKind::pcie_ep) hosts.push_back(NodeId(static_cast<std::uint32_t>(i)));
    }
    for (int i = 0; i < 200; ++i) {
      const PeCoord &src = pes[random() % pes.size()], &dst = pes[random() % pes.size()];
      const NodeId hbm = resolver.find_hbm(dst), pe_dma = resolver.find_pe_node(src, NodeKind::pe_dma);
      EXPECT_NO_THROW(router.find_path(pe_dma, hbm)) << "seed " << seed;
      EXPECT_NO_THROW(router.find_path(pe_dma, resolver.find_pe_node(dst, NodeKind::pe_dma))) << "seed " << seed;
      EXPECT_NO_THROW(router.find_memory_path(hosts[random() % hosts.size()], hbm)) << "seed " << seed;
      routes += 3;
    }
  }
  EXPECT_EQ(routes, 36000u);
}

}  // namespace
}  // namespace kb::routing
