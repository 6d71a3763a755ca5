// Routes on a machine with channel routers (T-56): only those that ask for a channel pass them.
#include <gtest/gtest.h>

#include "platform/base/error.h"
#include "platform/routing/address_resolver.h"
#include "platform/routing/path_router.h"
#include "tests/unit/routing/machines.h"

namespace kb::routing {
namespace {

using topology::NodeKind;
using Names = std::vector<std::string>;

const char* const kOneToOne = "  memory_map: { address_model: la, hbm_mapping_mode: one_to_one }\n";

TEST(ChannelPath, LeadsThroughItsRouterToThePartition) {
  const topology::Graph graph = test::reference_like(1, 2, 1, kOneToOne);
  PathRouter router(graph);
  const NodeId dma = test::node(graph, "sip0.cube1.pe3.pe_dma");
  const Route& route = router.find_channel_path(dma, test::node(graph, "sip0.cube1.pe3.ch_r5"));
  EXPECT_EQ(test::names(graph, route.nodes),
            (Names{"sip0.cube1.pe3.pe_dma", "sip0.cube1.pe3.ch_r5", "sip0.cube1.hbm_ctrl.pe3"}));
  ASSERT_EQ(route.edges.size(), 2u);
  ASSERT_EQ(route.reverse_edges.size(), 2u);
  EXPECT_EQ(graph.edge(route.reverse_edges[0]).kind, topology::EdgeKind::channel_to_pe);
  EXPECT_EQ(route.weight, edge_weight(graph, graph.edge(route.edges[0])));
  EXPECT_EQ(&route, &router.find_channel_path(dma, route.nodes[1]));
}

TEST(ChannelPath, NobodyElsesChannelHasOne) {
  const topology::Graph graph = test::reference_like(1, 1, 1, kOneToOne);
  PathRouter router(graph);
  const NodeId dma = test::node(graph, "sip0.cube0.pe0.pe_dma");
  EXPECT_THROW(router.find_channel_path(dma, test::node(graph, "sip0.cube0.pe1.ch_r0")), Error);
  EXPECT_THROW(router.find_channel_path(dma, test::node(graph, "sip0.cube0.hbm_ctrl.pe0")), Error);
}

TEST(ChannelPath, OrdinaryRoutesAreThoseOfNToOne) {
  const topology::Graph plain = test::reference_like(2, 2, 2);
  const topology::Graph graph = test::reference_like(2, 2, 2, kOneToOne);
  PathRouter plain_router(plain), router(graph);
  int compared = 0;
  const auto compare = [&](RoutePurpose purpose, const std::string& src, const std::string& dst) {
    const Route& expected = plain_router.find(purpose, test::node(plain, src), test::node(plain, dst));
    const Route& found = router.find(purpose, test::node(graph, src), test::node(graph, dst));
    EXPECT_EQ(test::names(graph, found.nodes), test::names(plain, expected.nodes));
    EXPECT_EQ(found.weight, expected.weight);
    ++compared;
  };
  for (const topology::Node& node : plain.nodes) {
    if (node.kind == NodeKind::hbm_ctrl) {
      for (const char* dma : {"sip0.cube0.pe0.pe_dma", "sip1.cube3.pe6.pe_dma"}) {
        compare(RoutePurpose::pe_dma, dma, node.id);
      }
      compare(RoutePurpose::host_memory, "sip0.io0.pcie_ep", node.id);
      compare(RoutePurpose::mcpu_dma, "sip0.cube2.m_cpu", node.id);
    }
    if (node.kind == NodeKind::pe_cpu) compare(RoutePurpose::command, "sip0.cube1.m_cpu", node.id);
  }
  EXPECT_EQ(compared, 64 * 5);
}

}  // namespace
}  // namespace kb::routing
