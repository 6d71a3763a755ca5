// Every legal small shape compiles to a sound graph (T-4, T-55, section 10 of the topology chapter).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <map>

#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

std::size_t reachable_from(const Graph& graph, NodeId start) {
  std::vector<bool> seen(graph.nodes.size(), false);
  std::vector<NodeId> queue{start};
  seen[start.value] = true;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (auto [it, end] = graph.out_edges(queue[i]); it != end; ++it) {
      const NodeId next = graph.edge(*it).dst;
      if (seen[next.value]) continue;
      seen[next.value] = true;
      queue.push_back(next);
    }
  }
  return queue.size();
}

std::string pe_router(const Graph& graph, const std::string& pe_prefix) {
  const NodeId dma = *graph.find_node(pe_prefix + "pe_dma");
  for (auto [it, end] = graph.out_edges(dma); it != end; ++it) {
    if (graph.edge(*it).kind == EdgeKind::pe_to_router) return graph.node(graph.edge(*it).dst).id;
  }
  return "";
}

// The first broken property, or "".
std::string check_sound(const LoadedTopology& loaded) {
  const Graph& graph = loaded.graph;
  const MachineSpec& spec = graph.spec;
  // Everything but the host is reachable from the switch, and reaches it (links come in pairs).
  if (reachable_from(graph, *graph.find_node("fabric.switch0")) != graph.nodes.size() - 1) return "not connected";
  for (const Edge& edge : graph.edges) {
    if (edge.kind == EdgeKind::pe_internal) continue;
    const auto back = graph.find_edge(edge.dst, edge.src);
    if (!back) return "no reverse of " + graph.node(edge.src).id + " -> " + graph.node(edge.dst).id;
    if (graph.edge(*back).bw != edge.bw) return "asymmetric bandwidth";
    if (graph.edge(*back).distance_mm != edge.distance_mm) return "asymmetric distance";
    if (edge.distance_mm < 0.0) return "negative distance";
  }
  std::map<std::uint32_t, double> cube_bandwidth;
  std::map<NodeKind, int> count;
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    ++count[node.kind];
    if (node.kind != NodeKind::hbm_ctrl) continue;
    const auto [begin, end] = graph.out_edges(NodeId(n));
    if (end - begin != 1) return node.id + " has not exactly one neighbour";  // T-52
    const Edge& edge = graph.edge(*begin);
    const std::string prefix = fmt::format("sip{}.cube{}.pe{}.", node.sip.value, node.cube.value, node.pe.value);
    if (graph.node(edge.dst).id != pe_router(graph, prefix)) return node.id + " is not at its PE's router";
    cube_bandwidth[node.sip.value * 16 + node.cube.value] += edge.bw.gbs();
  }
  const double expected = spec.hbm_pseudo_channels * spec.hbm_channel_bw.gbs() * spec.hbm_ctrl().efficiency;
  for (const auto& [cube, bandwidth] : cube_bandwidth) {
    if (std::abs(bandwidth - expected) > 1e-6 * expected) return "aggregate HBM bandwidth";
  }
  const int cubes = spec.sip_count * spec.cubes_per_sip();
  if (count[NodeKind::pe_cpu] != spec.pe_count() || count[NodeKind::pe_ipcq] != spec.pe_count()) return "PE count";
  if (count[NodeKind::noc_router] != cubes * loaded.mesh.router_count()) return "router count";
  const int chiplet_connections =
      static_cast<int>(spec.io_chiplets[0].cube_ports.size()) * spec.io_chiplets[0].n_connections * spec.sip_count;
  if (count[NodeKind::ucie_conn] != cubes * 4 * spec.ucie_n_connections + chiplet_connections) return "connections";
  return "";
}

Overrides shape(int sips, int w, int h, const std::string& corners, int per_corner, int connections) {
  return {{"system.sips.count", fmt::format("{}", sips)},
          {"sip.cube_mesh", fmt::format("{{ w: {}, h: {} }}", w, h)},
          {"cube.pe_layout", fmt::format("{{ corners: {}, pe_per_corner: {} }}", corners, per_corner)},
          {"cube.ucie.n_connections", fmt::format("{}", connections)}};
}

TEST(Shapes, ThoseOfT4AreSound) {
  EXPECT_EQ(check_sound(minimal(shape(1, 1, 1, "[NW]", 1, 4))), "");
  for (int pes = 1; pes <= 16; ++pes) EXPECT_EQ(check_sound(minimal(shape(1, 1, 1, "[NW]", pes, 4))), "") << pes;
  for (int cubes = 1; cubes <= 16; ++cubes) {
    EXPECT_EQ(check_sound(minimal(shape(1, cubes, 1, "[NW, SE]", 1, 4))), "") << cubes;
    EXPECT_EQ(check_sound(minimal(shape(1, 1, cubes, "[NW, SE]", 1, 4))), "") << cubes;
  }
  for (int sips = 1; sips <= 16; ++sips) EXPECT_EQ(check_sound(minimal(shape(sips, 2, 1, "[SE]", 1, 4))), "") << sips;
  EXPECT_EQ(check_sound(minimal(shape(2, 4, 4, "[NW, NE, SW, SE]", 4, 4))), "");
}

TEST(Shapes, EveryConnectionCountAttachesT55) {
  for (int connections = 1; connections <= 24; ++connections) {
    for (const char* corners : {"[NW]", "[NE]", "[NW, NE, SW, SE]"}) {
      EXPECT_EQ(check_sound(minimal(shape(1, 1, 1, corners, 2, connections))), "") << connections << corners;
    }
  }
}

TEST(Shapes, RandomOnesAreSound) {
  const std::vector<std::string> all{"NW", "NE", "SW", "SE"};
  const bool ok = rc::check("random machines", [&] {
    const int subset = *rc::gen::inRange(1, 16);
    std::string corners;
    int corner_count = 0;
    for (int c = 0; c < 4; ++c) {
      if ((subset >> c & 1) == 0) continue;
      corners += (corners.empty() ? "" : ", ") + all[static_cast<std::size_t>(c)];
      ++corner_count;
    }
    const int per_corner = *rc::gen::inRange(1, 16 / corner_count + 1);
    const int w = *rc::gen::inRange(1, 5);
    const int h = *rc::gen::inRange(1, 5);
    Overrides overrides =
        shape(*rc::gen::inRange(1, 4), w, h, "[" + corners + "]", per_corner, *rc::gen::inRange(1, 10));
    const double cube_w = *rc::gen::inRange(50, 400) / 10.0;
    const double cube_h = *rc::gen::inRange(120, 400) / 10.0;
    overrides.push_back({"cube.geometry.cube_mm", fmt::format("{{ w: {}, h: {} }}", cube_w, cube_h)});
    overrides.push_back({"cube.placement.sram.pos_mm",
                         fmt::format("[{}, {}]", *rc::gen::inRange(0, 50) / 10.0, *rc::gen::inRange(0, 120) / 10.0)});
    overrides.push_back(
        {"cube.components.hbm_ctrl.attrs.efficiency", *rc::gen::element<std::string>("1", "0.8", "0.5")});
    RC_ASSERT(check_sound(minimal(overrides)) == "");
  });
  EXPECT_TRUE(ok);
}

// The four routers and blocks that a request of each path class passes exist in both directions (section 10, check 1).
TEST(Shapes, PathClassesExistInBothDirections) {
  const Graph graph = minimal().graph;
  const std::vector<std::string> host_to_pe{"sip1.io0.pcie_ep",    "sip1.io0.io_noc",      "sip1.io0.io_ucie-P0.conn0",
                                            "sip1.io0.io_ucie-P0", "sip1.cube0.ucie-N",    "sip1.cube0.ucie-N.conn0",
                                            "sip1.cube0.r0c0",     "sip1.cube0.pe0.pe_cpu"};
  const std::vector<std::string> pe_to_next_cube{
      "sip0.cube0.pe3.pe_dma", "sip0.cube0.r1c5",         "sip0.cube0.ucie-E.conn1", "sip0.cube0.ucie-E",
      "sip0.cube1.ucie-W",     "sip0.cube1.ucie-W.conn1", "sip0.cube1.r1c0"};
  const std::vector<std::string> sip_to_sip{"sip0.io0.io_noc", "sip0.io0.pcie_ep", "fabric.switch0", "sip1.io0.pcie_ep",
                                            "sip1.io0.io_noc"};
  for (const auto& path : {host_to_pe, pe_to_next_cube, sip_to_sip}) {
    for (std::size_t i = 1; i < path.size(); ++i) {
      EXPECT_TRUE(has_edge(graph, path[i - 1], path[i])) << path[i - 1] << " -> " << path[i];
      EXPECT_TRUE(has_edge(graph, path[i], path[i - 1])) << path[i] << " -> " << path[i - 1];
    }
  }
}

TEST(Shapes, SeveralIoChipletsOnAllShorelines) {
  const LoadedTopology loaded =
      minimal({{"sip.io_chiplets",
                "[{ cube_ports: [{ cube: { xy: [0, 0] }, cube_side: N, phy: P0 }] },"
                " { cube_ports: [{ cube: { xy: [3, 2] }, cube_side: E, phy: P0 }], n_connections: 2 },"
                " { cube_ports: [{ cube: { xy: [1, 3] }, cube_side: S, phy: left, distance_mm: 3 }] },"
                " { id: west, cube_ports: [{ cube: { xy: [0, 3] }, cube_side: W, phy: P0 }] }]"}});
  EXPECT_TRUE(has_edge(loaded.graph, "sip1.io1.io_ucie-P0", "sip1.cube11.ucie-E"));
  EXPECT_FALSE(loaded.graph.find_node("sip1.io1.io_ucie-P0.conn2"));
  EXPECT_EQ(edge_between(loaded.graph, "sip0.cube13.ucie-S", "sip0.io2.io_ucie-left").distance_mm, 3.0);
  EXPECT_TRUE(has_edge(loaded.graph, "sip0.west.io_ucie-P0", "sip0.cube12.ucie-W"));
  EXPECT_TRUE(has_edge(loaded.graph, "fabric.switch0", "sip0.west.pcie_ep"));
  EXPECT_EQ(loaded.graph.spec.io_chiplets[1].shoreline, Side::E);
}

}  // namespace
}  // namespace kb::topology
