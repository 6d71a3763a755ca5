#include "platform/topology/graph.h"

#include <gtest/gtest.h>

#include <set>

#include "modules/kit/params.h"
#include "platform/params/sram_params.h"
#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

using test::number;
using test::text;

const LoadedTopology& reference() {
  static const LoadedTopology loaded = minimal();
  return loaded;
}

TEST(Naming, EveryObjectOfT40Exists) {
  for (const char* id : {"fabric.switch0",
                         "host",
                         "sip0.io0.pcie_ep",
                         "sip1.io0.io_cpu",
                         "sip1.io0.io_noc",
                         "sip0.io0.io_ucie-P0",
                         "sip0.io0.io_ucie-P1.conn3",
                         "sip1.cube15.r5c5",
                         "sip0.cube0.m_cpu",
                         "sip0.cube3.sram",
                         "sip0.cube0.hbm_ctrl.pe7",
                         "sip0.cube0.ucie-N",
                         "sip0.cube0.ucie-S.conn0",
                         "sip0.cube0.ucie-E.conn3",
                         "sip0.cube0.ucie-W",
                         "sip1.cube2.pe5.pe_cpu",
                         "sip1.cube2.pe5.pe_scheduler",
                         "sip1.cube2.pe5.pe_dma",
                         "sip1.cube2.pe5.pe_fetch_store",
                         "sip1.cube2.pe5.pe_gemm",
                         "sip1.cube2.pe5.pe_math",
                         "sip1.cube2.pe5.pe_mmu",
                         "sip1.cube2.pe5.pe_tcm",
                         "sip1.cube2.pe5.pe_ipcq"}) {
    EXPECT_TRUE(reference().graph.find_node(id)) << id;
  }
  for (const char* id : {"sip2.io0.pcie_ep", "sip0.cube16.sram", "sip0.cube0.r2c2", "sip0.cube0.pe8.pe_cpu", ""}) {
    EXPECT_FALSE(reference().graph.find_node(id)) << id;
  }
}

TEST(Naming, IdsAreUniqueAndLookupInvertsThem) {
  std::set<std::string> ids;
  for (std::uint32_t i = 0; i < reference().graph.nodes.size(); ++i) {
    EXPECT_TRUE(ids.insert(reference().graph.nodes[i].id).second);
    EXPECT_EQ(reference().graph.find_node(reference().graph.nodes[i].id), NodeId(i));
  }
}

TEST(Naming, CoordinatesBelongToTheNode) {
  const Graph& graph = reference().graph;
  const Node& dma = graph.node(*graph.find_node("sip1.cube2.pe5.pe_dma"));
  EXPECT_EQ(dma.sip, SipId(1));
  EXPECT_EQ(dma.cube, CubeId(2));
  EXPECT_EQ(dma.pe, PeId(5));
  const Node& hbm = graph.node(*graph.find_node("sip0.cube9.hbm_ctrl.pe3"));
  EXPECT_EQ(hbm.pe, PeId(3));
  const Node& io = graph.node(*graph.find_node("sip1.io0.io_cpu"));
  EXPECT_EQ(io.sip, SipId(1));
  EXPECT_FALSE(io.cube.valid());
  EXPECT_FALSE(graph.node(*graph.find_node("fabric.switch0")).sip.valid());
}

TEST(Graph, ReferenceCubeHas134NodesSection9) {
  std::size_t nodes = 0;
  for (const Node& node : reference().graph.nodes) nodes += node.sip == SipId(0) && node.cube == CubeId(0);
  EXPECT_EQ(nodes, 134u);
  // tray 2, per SIP 3 + 2 * 5 IO nodes
  EXPECT_EQ(reference().graph.nodes.size(), 2u + 2u * (13u + 16u * 134u));
}

TEST(Graph, CopiesKeepTheirLookups) {
  Graph copy;
  {
    const Graph original = minimal({{"system.sips.count", "1"}}).graph;
    copy = original;
  }
  EXPECT_TRUE(copy.find_node("sip0.cube0.m_cpu"));
  EXPECT_TRUE(has_edge(copy, "sip0.cube0.r0c0", "sip0.cube0.r0c1"));
}

TEST(Graph, EdgeListsAreInEdgeOrder) {
  const Graph& graph = reference().graph;
  std::size_t out_count = 0;
  std::size_t in_count = 0;
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    for (auto [it, end] = graph.out_edges(NodeId(n)); it != end; ++it, ++out_count) {
      EXPECT_EQ(graph.edge(*it).src, NodeId(n));
      EXPECT_TRUE(it + 1 == end || it->value < (it + 1)->value);
    }
    for (auto [it, end] = graph.in_edges(NodeId(n)); it != end; ++it, ++in_count) {
      EXPECT_EQ(graph.edge(*it).dst, NodeId(n));
      EXPECT_TRUE(it + 1 == end || it->value < (it + 1)->value);
    }
  }
  EXPECT_EQ(out_count, graph.edges.size());
  EXPECT_EQ(in_count, graph.edges.size());
}

void expect_link(const std::string& a, const std::string& b, EdgeKind forward, EdgeKind backward, double gbs,
                 double mm) {  // 0 GB/s: no limit
  const Graph& graph = reference().graph;
  ASSERT_TRUE(has_edge(graph, a, b)) << a << " -> " << b;
  ASSERT_TRUE(has_edge(graph, b, a)) << b << " -> " << a;
  const Edge& there = edge_between(graph, a, b);
  const Edge& back = edge_between(graph, b, a);
  EXPECT_EQ(there.kind, forward) << a << " -> " << b;
  EXPECT_EQ(back.kind, backward) << b << " -> " << a;
  EXPECT_EQ(there.bw, Bandwidth(gbs)) << a;
  EXPECT_EQ(back.bw, Bandwidth(gbs)) << a;
  EXPECT_EQ(there.distance_mm, mm) << a;
  EXPECT_EQ(back.distance_mm, mm) << a;
}

TEST(Graph, CubeLinksHaveTheirKindsBandwidthsAndLengthsT50T51) {
  const std::string cube = "sip0.cube5.";
  expect_link(cube + "r0c0", cube + "r0c1", EdgeKind::router_mesh, EdgeKind::router_mesh, 256.0, 3.0);
  expect_link(cube + "r1c0", cube + "r2c0", EdgeKind::router_mesh, EdgeKind::router_mesh, 256.0, 1.5);
  expect_link(cube + "pe2.pe_dma", cube + "r1c4", EdgeKind::pe_to_router, EdgeKind::router_to_pe, 256.0, 2.5);
  expect_link(cube + "r1c4", cube + "pe2.pe_cpu", EdgeKind::command, EdgeKind::command, 0.0, 0.0);
  expect_link(cube + "r1c4", cube + "pe2.pe_mmu", EdgeKind::command, EdgeKind::command, 0.0, 0.0);
  expect_link(cube + "r1c4", cube + "hbm_ctrl.pe2", EdgeKind::router_to_hbm, EdgeKind::hbm_to_router, 256.0, 0.0);
  expect_link(cube + "r2c0", cube + "m_cpu", EdgeKind::command, EdgeKind::command, 0.0, 0.0);  // T-68
  expect_link(cube + "r3c0", cube + "sram", EdgeKind::router_to_sram, EdgeKind::sram_to_router, 128.0, 0.0);
  expect_link(cube + "ucie-E.conn1", cube + "r1c5", EdgeKind::ucie_conn_to_router, EdgeKind::router_to_ucie_conn, 128.0,
              0.0);
  expect_link(cube + "ucie-E.conn1", cube + "ucie-E", EdgeKind::ucie_internal, EdgeKind::ucie_internal, 0.0, 0.0);
  EXPECT_FALSE(has_edge(reference().graph, cube + "r1c2", cube + "r4c2"));  // no edge crosses the hole
}

TEST(Graph, SeamsAndIoLinksT35T36T38) {
  expect_link("sip0.cube5.ucie-E", "sip0.cube6.ucie-W", EdgeKind::ucie_mesh, EdgeKind::ucie_mesh, 512.0, 1.0);
  expect_link("sip0.cube5.ucie-S", "sip0.cube9.ucie-N", EdgeKind::ucie_mesh, EdgeKind::ucie_mesh, 512.0, 1.0);
  EXPECT_FALSE(has_edge(reference().graph, "sip0.cube3.ucie-E", "sip0.cube0.ucie-W"));  // no wrap-around
  EXPECT_FALSE(has_edge(reference().graph, "sip0.cube3.ucie-E", "sip0.cube4.ucie-W"));
  expect_link("sip1.io0.io_ucie-P0", "sip1.cube0.ucie-N", EdgeKind::io_to_cube, EdgeKind::cube_to_io, 512.0, 2.0);
  expect_link("sip1.io0.io_ucie-P1", "sip1.cube1.ucie-N", EdgeKind::io_to_cube, EdgeKind::cube_to_io, 512.0, 2.0);
  expect_link("sip0.io0.pcie_ep", "sip0.io0.io_noc", EdgeKind::io_internal, EdgeKind::io_internal, 256.0, 0.0);
  expect_link("sip0.io0.io_cpu", "sip0.io0.io_noc", EdgeKind::io_internal, EdgeKind::io_internal, 0.0, 0.0);
  expect_link("sip0.io0.io_ucie-P0.conn2", "sip0.io0.io_noc", EdgeKind::ucie_conn_to_noc, EdgeKind::noc_to_ucie_conn,
              {}, 0.0);
  expect_link("sip0.io0.io_ucie-P0.conn2", "sip0.io0.io_ucie-P0", EdgeKind::ucie_internal, EdgeKind::ucie_internal, 0.0,
              0.0);
  expect_link("fabric.switch0", "sip1.io0.pcie_ep", EdgeKind::pcie, EdgeKind::pcie, 512.0, 0.0);
}

TEST(Graph, PeTemplateEdgesT25) {
  const std::string pe = "sip0.cube0.pe3.";
  const Graph& graph = reference().graph;
  for (const auto& [src, dst] : std::vector<std::pair<const char*, const char*>>{{"pe_cpu", "pe_scheduler"},
                                                                                 {"pe_scheduler", "pe_dma"},
                                                                                 {"pe_scheduler", "pe_fetch_store"},
                                                                                 {"pe_scheduler", "pe_gemm"},
                                                                                 {"pe_scheduler", "pe_math"},
                                                                                 {"pe_dma", "pe_fetch_store"},
                                                                                 {"pe_fetch_store", "pe_gemm"},
                                                                                 {"pe_fetch_store", "pe_math"},
                                                                                 {"pe_gemm", "pe_fetch_store"},
                                                                                 {"pe_gemm", "pe_math"},
                                                                                 {"pe_math", "pe_fetch_store"},
                                                                                 {"pe_fetch_store", "pe_dma"},
                                                                                 {"pe_cpu", "pe_ipcq"},
                                                                                 {"pe_ipcq", "pe_cpu"},
                                                                                 {"pe_ipcq", "pe_dma"},
                                                                                 {"pe_dma", "pe_ipcq"}}) {
    const Edge& edge = edge_between(graph, pe + src, pe + dst);
    EXPECT_EQ(edge.kind, EdgeKind::pe_internal);
    EXPECT_EQ(edge.distance_mm, 0.0);
    EXPECT_FALSE(edge.bw.limited());
  }
  expect_link(pe + "pe_fetch_store", pe + "pe_tcm", EdgeKind::pe_internal, EdgeKind::pe_internal, 512.0, 0.0);
}

TEST(Graph, HostHasNoEdges) {
  const Graph& graph = reference().graph;
  const NodeId host = *graph.find_node("host");
  EXPECT_EQ(graph.out_edges(host).first, graph.out_edges(host).second);
  EXPECT_EQ(graph.in_edges(host).first, graph.in_edges(host).second);
}

TEST(Graph, EfficiencyScalesTheEdgeAndNotTheChannelsT34) {
  const Graph graph = minimal({{"cube.components.hbm_ctrl.attrs.efficiency", "0.8"}}).graph;
  EXPECT_DOUBLE_EQ(edge_between(graph, "sip0.cube0.r0c0", "sip0.cube0.hbm_ctrl.pe0").bw.gbs(), 204.8);
  EXPECT_DOUBLE_EQ(edge_between(graph, "sip0.cube0.hbm_ctrl.pe0", "sip0.cube0.r0c0").bw.gbs(), 204.8);
  EXPECT_EQ(number(graph.node(*graph.find_node("sip0.cube0.hbm_ctrl.pe0")), "pc_bw_gbs"), 32.0);
}

TEST(Graph, EffectiveAttributesOfEveryKind) {
  const Graph& graph = reference().graph;
  const auto node = [&](const char* id) -> const Node& { return graph.node(*graph.find_node(id)); };
  EXPECT_EQ(number(node("fabric.switch0"), "overhead_ns"), 5.0);
  EXPECT_EQ(number(node("sip0.io0.pcie_ep"), "overhead_ns"), 5.0);
  EXPECT_EQ(number(node("sip0.io0.io_cpu"), "overhead_ns"), 10.0);
  EXPECT_EQ(number(node("sip0.io0.io_noc"), "overhead_ns"), 0.0);
  EXPECT_EQ(number(node("sip0.io0.io_ucie-P0"), "overhead_ns"), 8.0);
  EXPECT_EQ(number(node("sip0.io0.io_ucie-P0.conn0"), "overhead_ns"), 0.0);
  EXPECT_EQ(number(node("sip0.cube0.r0c0"), "overhead_ns"), 2.0);  // T-20
  EXPECT_EQ(number(node("sip0.cube0.ucie-N"), "overhead_ns"), 8.0);
  EXPECT_EQ(number(node("sip0.cube0.ucie-N.conn0"), "overhead_ns"), 0.0);
  EXPECT_EQ(number(node("sip0.cube0.m_cpu"), "overhead_ns"), 5.0);
  EXPECT_EQ(number(node("sip0.cube0.sram"), "overhead_ns"), 2.0);
  const Node& hbm = node("sip0.cube0.hbm_ctrl.pe0");
  EXPECT_EQ(number(hbm, "overhead_ns"), 0.0);
  EXPECT_EQ(number(hbm, "num_pcs"), 8);
  EXPECT_EQ(number(hbm, "burst_bytes"), 256);
  EXPECT_EQ(number(hbm, "efficiency"), 1.0);  // T-19
  EXPECT_EQ(number(node("sip0.cube0.pe0.pe_gemm"), "mac_per_ns"), 4096.0);
  EXPECT_EQ(text(node("sip0.cube0.pe0.pe_gemm"), "shared_resource"), "accel_slot");
  EXPECT_EQ(number(node("sip0.cube0.pe0.pe_scheduler"), "tile_k"), 64);
  EXPECT_EQ(number(node("sip0.cube0.pe0.pe_tcm"), "size_mb"), 2);
  EXPECT_EQ(number(node("sip0.cube0.pe0.pe_mmu"), "page_size"), 4096);
  EXPECT_EQ(hbm.params.find("no_such"), std::nullopt);
  EXPECT_EQ(hbm.params.as<params::HbmCtrlParams>().num_pcs, 8);
  EXPECT_THROW(hbm.params.as<params::SramParams>(), Error);
}

TEST(Graph, InstancesOfATemplateShareTheirAttributes) {
  const Graph& graph = reference().graph;
  EXPECT_EQ(graph.node(*graph.find_node("sip0.cube0.pe0.pe_dma")).params.data(),
            graph.node(*graph.find_node("sip1.cube15.pe7.pe_dma")).params.data());
}

}  // namespace
}  // namespace kb::topology
