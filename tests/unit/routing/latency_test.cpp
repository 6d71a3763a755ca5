#include "platform/routing/latency.h"

#include <gtest/gtest.h>

#include "platform/base/error.h"
#include "platform/routing/path_router.h"
#include "tests/unit/routing/machines.h"

namespace kb::routing {
namespace {

topology::Edge wire(double mm) {
  topology::Edge edge;
  edge.distance_mm = mm;
  return edge;
}

// Every edge takes at least 1 fs.
TEST(Latency, PropagationIsAtLeastOneFemtosecond) {
  EXPECT_EQ(propagation_fs(wire(3.0), 0.01), 30'000_fs);
  EXPECT_EQ(propagation_fs(wire(0.0), 0.01), 1_fs);
  EXPECT_EQ(propagation_fs(wire(3.0), 0.0), 1_fs);
  EXPECT_EQ(propagation_fs(wire(1e-9), 0.01), 1_fs);
  EXPECT_EQ(propagation_fs(wire(0.00025), 0.01), 3_fs);  // 2.5 fs
  EXPECT_THROW(propagation_fs(wire(-1.0), 0.01), Error);
  EXPECT_THROW(propagation_fs(wire(1e300), 1e300), Error);
}

// F-63 on PE0 -> its own slice: pe_dma 0 + router 2 + hbm_ctrl 0 ns, two 0 mm wires, 256 GB/s.
TEST(Latency, LocalHbm) {
  const topology::Graph graph = test::reference_like(1, 1, 1);
  PathRouter router(graph);
  const Route& route =
      router.find_path(test::node(graph, "sip0.cube0.pe0.pe_dma"), test::node(graph, "sip0.cube0.hbm_ctrl.pe0"));
  EXPECT_EQ(wire_fs(graph, route), 2_fs);
  EXPECT_EQ(overhead_fs(graph, route), 2_ns);
  EXPECT_EQ(drain_fs(graph, route, 16384), 64_ns);
  EXPECT_EQ(drain_fs(graph, route, 0), 0_fs);
  EXPECT_EQ(drain_fs(graph, route, 1), 3'906_fs);
  EXPECT_EQ(path_latency_fs(graph, route, 16384), 66_ns + 2_fs);
}

TEST(Latency, RemotePeAddsRoutersAndWires) {
  const topology::Graph graph = test::reference_like(1, 1, 1);
  PathRouter router(graph);
  const Route& route =
      router.find_path(test::node(graph, "sip0.cube0.pe0.pe_dma"), test::node(graph, "sip0.cube0.hbm_ctrl.pe1"));
  EXPECT_EQ(wire_fs(graph, route), 30'002_fs);
  EXPECT_EQ(overhead_fs(graph, route), 4_ns);
}

// The narrowest edge counts, and each flit is rounded as a wire rounds it.
TEST(Latency, DrainSumsFlitsOfTheNarrowestEdge) {
  const topology::Graph graph =
      test::reference_like(1, 2, 1, "  links: { noc_to_ucie_conn_bw_gbs: 75, router_link_bw_gbs: 300 }\n");
  PathRouter router(graph);
  const Route& route =
      router.find_path(test::node(graph, "sip0.cube0.pe0.pe_dma"), test::node(graph, "sip0.cube1.hbm_ctrl.pe0"));
  EXPECT_EQ(drain_fs(graph, route, 600), 2 * 3'413'333_fs + 1'173'333_fs);
}

TEST(Latency, NoBandwidthNoDrain) {
  const topology::Graph graph = test::reference_like(1, 1, 1);
  PathRouter router(graph);
  const Route& route =
      router.find_node_path(test::node(graph, "sip0.cube0.m_cpu"), test::node(graph, "sip0.cube0.m_cpu"));
  EXPECT_EQ(drain_fs(graph, route, 4096), 0_fs);
  EXPECT_EQ(path_latency_fs(graph, route, 4096), 5_ns);
}

}  // namespace
}  // namespace kb::routing
