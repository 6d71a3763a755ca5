// Routes of real machines: what each purpose may pass, and the examples of the specification.
#include "platform/routing/path_router.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "platform/base/error.h"
#include "platform/routing/address_resolver.h"
#include "tests/unit/routing/machines.h"

namespace kb::routing {
namespace {

using topology::Graph;
using topology::NodeKind;
using Names = std::vector<std::string>;

class Routes : public testing::Test {
 protected:
  NodeId at(const std::string& id) const { return test::node(graph_, id); }
  Names pe_path(const std::string& src, const std::string& dst) {
    return test::names(graph_, router_.find_path(at(src), at(dst)).nodes);
  }
  int count(const Route& route, NodeKind kind) const {
    return static_cast<int>(
        std::count_if(route.nodes.begin(), route.nodes.end(), [&](NodeId id) { return graph_.node(id).kind == kind; }));
  }
  // What holds for every route.
  void check(const Route& route) const {
    ASSERT_EQ(route.edges.size() + 1, route.nodes.size());
    ASSERT_EQ(route.reverse_edges.size(), route.edges.size());
    EXPECT_EQ(std::set<NodeId>(route.nodes.begin(), route.nodes.end()).size(), route.nodes.size());
    std::int64_t weight = 0;
    for (std::size_t i = 0; i < route.edges.size(); ++i) {
      const topology::Edge& there = graph_.edge(route.edges[i]);
      const topology::Edge& back = graph_.edge(route.reverse_edges[i]);
      EXPECT_EQ(there.src, route.nodes[i]);
      EXPECT_EQ(there.dst, route.nodes[i + 1]);
      EXPECT_EQ(back.src, there.dst);
      EXPECT_EQ(back.dst, there.src);
      weight += edge_weight(graph_, there);
    }
    EXPECT_EQ(weight, route.weight);
    std::vector<std::pair<SipId, CubeId>> cubes;
    for (NodeId id : route.nodes) {
      const topology::Node& node = graph_.node(id);
      const std::pair cube{node.sip, node.cube};
      if (node.cube.valid() && (cubes.empty() || cubes.back() != cube)) cubes.push_back(cube);
    }
    EXPECT_EQ(std::set(cubes.begin(), cubes.end()).size(), cubes.size()) << "a cube is passed twice";
    const bool between_sips = graph_.node(route.nodes.front()).sip != graph_.node(route.nodes.back()).sip;
    for (std::size_t i = 1; i + 1 < route.nodes.size(); ++i) {
      const NodeKind kind = graph_.node(route.nodes[i]).kind;
      const std::set<NodeKind> allowed{NodeKind::noc_router, NodeKind::ucie, NodeKind::ucie_conn, NodeKind::io_noc,
                                       NodeKind::switch_};
      EXPECT_TRUE(allowed.count(kind) == 1 || (between_sips && kind == NodeKind::pcie_ep))
          << graph_.node(route.nodes[i]).id;
      // F-23: no entering and leaving of one port.
      if (kind != NodeKind::ucie) continue;
      const bool from_connection = graph_.node(route.nodes[i - 1]).kind == NodeKind::ucie_conn;
      const bool to_connection = graph_.node(route.nodes[i + 1]).kind == NodeKind::ucie_conn;
      EXPECT_NE(from_connection, to_connection) << graph_.node(route.nodes[i]).id;
    }
  }

  Graph graph_ = test::reference_like(2, 4, 4);
  PathRouter router_{graph_};
  AddressResolver resolver_{graph_};
};

TEST_F(Routes, SourceEqualsDestination) {
  const Route& route = router_.find_path(at("sip0.cube0.pe0.pe_dma"), at("sip0.cube0.pe0.pe_dma"));
  EXPECT_EQ(route.nodes.size(), 1u);
  EXPECT_EQ(route.weight, 0);
  EXPECT_TRUE(route.edges.empty());
}

// F-3, F-55: the local slice has no mesh hop.
TEST_F(Routes, LocalHbmHangsOnThePesOwnRouter) {
  EXPECT_EQ(pe_path("sip0.cube0.pe0.pe_dma", "sip0.cube0.hbm_ctrl.pe0"),
            (Names{"sip0.cube0.pe0.pe_dma", "sip0.cube0.r0c0", "sip0.cube0.hbm_ctrl.pe0"}));
}

// F-20: among the many equal staircases the one that goes along the row first.
TEST_F(Routes, HorizontalMeshEdgesComeFirst) {
  EXPECT_EQ(pe_path("sip0.cube0.pe0.pe_dma", "sip0.cube0.hbm_ctrl.pe2"),
            (Names{"sip0.cube0.pe0.pe_dma", "sip0.cube0.r0c0", "sip0.cube0.r0c1", "sip0.cube0.r0c2", "sip0.cube0.r0c3",
                   "sip0.cube0.r0c4", "sip0.cube0.r1c4", "sip0.cube0.hbm_ctrl.pe2"}));
  EXPECT_EQ(pe_path("sip0.cube0.pe2.pe_dma", "sip0.cube0.hbm_ctrl.pe0"),
            (Names{"sip0.cube0.pe2.pe_dma", "sip0.cube0.r1c4", "sip0.cube0.r1c3", "sip0.cube0.r1c2", "sip0.cube0.r1c1",
                   "sip0.cube0.r1c0", "sip0.cube0.r0c0", "sip0.cube0.hbm_ctrl.pe0"}));
}

// F-17: distance inside a cube is mesh distance; the 0 mm ports do not shorten it.
TEST_F(Routes, SameCubeRoutesStayOnTheMesh) {
  for (std::uint32_t a = 0; a < 8; ++a) {
    for (std::uint32_t b = 0; b < 8; ++b) {
      const PeCoord from{SipId(0), CubeId(5), PeId(a)};
      const Route& route = router_.find_path(resolver_.find_pe_node(from, NodeKind::pe_dma),
                                             resolver_.find_hbm({SipId(0), CubeId(5), PeId(b)}));
      check(route);
      EXPECT_EQ(count(route, NodeKind::ucie) + count(route, NodeKind::ucie_conn), 0);
      for (NodeId id : route.nodes) EXPECT_EQ(graph_.node(id).cube, CubeId(5));
    }
  }
  // PE0 at r0c0, PE7 at r5c5: 15 mm + 11 mm.
  std::int64_t um = 0;
  const Route& corner_to_corner = router_.find_path(at("sip0.cube5.pe0.pe_dma"), at("sip0.cube5.hbm_ctrl.pe7"));
  for (EdgeId edge : corner_to_corner.edges) um += edge_weight_um(graph_.edge(edge));
  EXPECT_EQ(um, 26'000);
}

// F-8: through the seam between them and no other.
TEST_F(Routes, NeighbourCubesAreOneSeamApart) {
  for (const char* const neighbour : {"sip0.cube6", "sip0.cube9", "sip0.cube4", "sip0.cube1"}) {
    for (int pe = 0; pe < 8; ++pe) {
      const Route& route = router_.find_path(at("sip0.cube5.pe" + std::to_string(pe) + ".pe_dma"),
                                             at(std::string(neighbour) + ".hbm_ctrl.pe" + std::to_string(7 - pe)));
      check(route);
      EXPECT_EQ(count(route, NodeKind::ucie), 2);
    }
  }
}

// F-52 and acceptance check 8: host memory traffic meets no CPU and no PE.
TEST_F(Routes, HostMemoryPathsContainNoCpu) {
  for (std::uint32_t cube = 0; cube < 16; ++cube) {
    for (std::uint32_t pe = 0; pe < 8; ++pe) {
      const Route& route = router_.find_memory_path(resolver_.find_pcie_ep(SipId(1)),
                                                    resolver_.find_hbm({SipId(1), CubeId(cube), PeId(pe)}));
      check(route);
      EXPECT_EQ(count(route, NodeKind::io_cpu) + count(route, NodeKind::m_cpu) + count(route, NodeKind::pe_dma), 0);
      EXPECT_EQ(graph_.node(route.nodes[1]).kind, NodeKind::io_noc);
    }
  }
}

// The connection index of the first port is kept at the next one: host traffic spreads over the PHY's connections.
TEST_F(Routes, ConnectionIndexIsKeptFromPortToPort) {
  for (int pe = 0; pe < 3; ++pe) {  // at r0c0, r0c1, r1c4: below ucie_n.c0, c1, c2
    const Names path = test::names(
        graph_,
        router_.find_memory_path(at("sip0.io0.pcie_ep"), at("sip0.cube0.hbm_ctrl.pe" + std::to_string(pe))).nodes);
    const std::string index = ".conn" + std::to_string(pe);
    EXPECT_EQ(std::count(path.begin(), path.end(), "sip0.io0.io_ucie-P0" + index), 1) << pe;
    EXPECT_EQ(std::count(path.begin(), path.end(), "sip0.cube0.ucie-N" + index), 1) << pe;
  }
}

// F-55: two pcie_eps and the switch.
TEST_F(Routes, CrossSipPathsPassTwoEndpointsAndTheSwitch) {
  for (std::uint32_t cube : {0u, 5u, 15u}) {
    const Route& route = router_.find_path(at("sip0.cube" + std::to_string(cube) + ".pe3.pe_dma"),
                                           at("sip1.cube" + std::to_string(15 - cube) + ".hbm_ctrl.pe4"));
    check(route);
    EXPECT_EQ(count(route, NodeKind::pcie_ep), 2);
    EXPECT_EQ(count(route, NodeKind::switch_), 1);
    EXPECT_EQ(count(route, NodeKind::io_noc), 2);
  }
}

// F-53
TEST_F(Routes, LaunchPathsReachBothCpus) {
  const Names to_m_cpu =
      test::names(graph_, router_.find_node_path(at("sip0.io0.io_cpu"), at("sip0.cube0.m_cpu")).nodes);
  EXPECT_EQ(to_m_cpu, (Names{"sip0.io0.io_cpu", "sip0.io0.io_noc", "sip0.io0.io_ucie-P0.conn0", "sip0.io0.io_ucie-P0",
                             "sip0.cube0.ucie-N", "sip0.cube0.ucie-N.conn0", "sip0.cube0.r0c0", "sip0.cube0.r1c0",
                             "sip0.cube0.r2c0", "sip0.cube0.m_cpu"}));
  for (std::uint32_t pe = 0; pe < 8; ++pe) {
    for (NodeKind kind : {NodeKind::pe_cpu, NodeKind::pe_mmu}) {
      const Route& route = router_.find_node_path(resolver_.find_m_cpu(SipId(0), CubeId(9)),
                                                  resolver_.find_pe_node({SipId(0), CubeId(9), PeId(pe)}, kind));
      check(route);
      EXPECT_EQ(count(route, NodeKind::noc_router), static_cast<int>(route.nodes.size()) - 2);
    }
  }
}

// F-14: data paths know no command edges; the way into a PE leads to its TCM alone, which PE_DMA serves.
TEST_F(Routes, PurposesLeaveOutTheirEdges) {
  EXPECT_THROW(router_.find_path(at("sip0.cube0.pe0.pe_dma"), at("sip0.cube1.m_cpu")), Error);
  EXPECT_EQ(router_.find_memory_path(at("sip0.io0.pcie_ep"), at("sip0.cube0.pe0.pe_dma")).nodes.back(),
            at("sip0.cube0.pe0.pe_dma"));
  const Route& to_hbm = router_.find_memory_path(at("sip0.io0.pcie_ep"), at("sip0.cube0.hbm_ctrl.pe0"));
  EXPECT_EQ(count(to_hbm, NodeKind::pe_dma), 0);
  EXPECT_NO_THROW(router_.find_node_path(at("sip0.io0.io_cpu"), at("sip0.cube0.pe0.pe_dma")));
}

// F-16
TEST_F(Routes, McpuDmaReachesLocalAndRemoteMemory) {
  const Names local =
      test::names(graph_, router_.find_mcpu_dma_path(at("sip0.cube0.m_cpu"), at("sip0.cube0.hbm_ctrl.pe0")).nodes);
  EXPECT_EQ(local, (Names{"sip0.cube0.m_cpu", "sip0.cube0.r2c0", "sip0.cube0.r1c0", "sip0.cube0.r0c0",
                          "sip0.cube0.hbm_ctrl.pe0"}));
  check(router_.find_mcpu_dma_path(at("sip0.cube0.m_cpu"), at("sip0.cube10.hbm_ctrl.pe5")));
  EXPECT_EQ(
      count(router_.find_mcpu_dma_path(at("sip0.cube0.m_cpu"), at("sip0.cube10.hbm_ctrl.pe5")), NodeKind::ucie) % 2, 0);
}

// F-22
TEST_F(Routes, MissingPathNamesBothEnds) {
  try {
    router_.find_node_path(at("host"), at("sip0.cube0.m_cpu"));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    EXPECT_EQ(std::string(error.what()).rfind("no path from host to sip0.cube0.m_cpu", 0), 0u);
  }
}

TEST_F(Routes, RefusesUcieNodesAndUnknownNodes) {
  EXPECT_THROW(router_.find_node_path(at("sip0.cube0.ucie-N"), at("sip0.cube0.m_cpu")), Error);
  EXPECT_THROW(router_.find_node_path(NodeId(), at("sip0.cube0.m_cpu")), Error);
}

// F-2, F-13: the same object on repetition, the same route from another router and in another order of questions.
TEST_F(Routes, AreStableAndIndependentOfTheOrderOfQuestions) {
  std::mt19937 random(7);
  std::vector<std::pair<NodeId, NodeId>> questions;
  for (int i = 0; i < 600; ++i) {
    const auto pe = [&] { return PeCoord{SipId(random() % 2), CubeId(random() % 16), PeId(random() % 8)}; };
    // Few destinations, so that kept costs are used.
    const PeCoord to{SipId(random() % 2), CubeId(15 * (random() % 2)), PeId(random() % 4)};
    questions.emplace_back(resolver_.find_pe_node(pe(), NodeKind::pe_dma), resolver_.find_hbm(to));
  }
  std::vector<const Route*> first;
  for (const auto& [src, dst] : questions) first.push_back(&router_.find_path(src, dst));
  PathRouter other(graph_);
  for (std::size_t i = questions.size(); i-- > 0;) {
    const auto [src, dst] = questions[i];
    EXPECT_EQ(&router_.find_path(src, dst), first[i]);
    EXPECT_EQ(other.find_path(src, dst).nodes, first[i]->nodes);
    check(*first[i]);
  }
}

// A third SIP cannot be of use, so leaving it out changes nothing: the two-SIP machine gives the same route.
TEST_F(Routes, OtherSipsDoNotMatter) {
  const Graph larger = test::reference_like(4, 4, 4);
  PathRouter other(larger);
  for (const auto& [src, dst] :
       std::vector<std::pair<std::string, std::string>>{{"sip0.cube6.pe1.pe_dma", "sip1.cube11.hbm_ctrl.pe6"},
                                                        {"sip1.cube0.pe7.pe_dma", "sip0.cube3.hbm_ctrl.pe0"}}) {
    EXPECT_EQ(test::names(larger, other.find_path(test::node(larger, src), test::node(larger, dst)).nodes),
              pe_path(src, dst));
  }
}

}  // namespace
}  // namespace kb::routing
