// The routers of HBM channels: cube.memory_map.hbm_mapping_mode one_to_one (T-56, A-87).
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "platform/params/forwarding_params.h"
#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

using testing::HasSubstr;

Overrides one_to_one(int channels, Overrides more = {}) {
  Overrides set{{"cube.memory_map.address_model", "la"},
                {"cube.memory_map.hbm_mapping_mode", "one_to_one"},
                {"cube.memory_map.hbm_channels_per_pe", fmt::format("{}", channels)}};
  set.insert(set.end(), more.begin(), more.end());
  return set;
}

void expect_link(const Graph& graph, const std::string& a, const std::string& b, EdgeKind there, EdgeKind back,
                 Bandwidth bw, double mm) {
  const Edge& forward = edge_between(graph, a, b);
  const Edge& backward = edge_between(graph, b, a);
  EXPECT_EQ(forward.kind, there);
  EXPECT_EQ(backward.kind, back);
  EXPECT_EQ(forward.bw, bw);
  EXPECT_EQ(backward.bw, bw);
  EXPECT_EQ(forward.distance_mm, mm);
  EXPECT_EQ(backward.distance_mm, mm);
}

TEST(Channels, EachHasARouterBetweenItsPeAndThePartitionOfThePe) {  // T-56, A-85, A-87
  for (const int channels : {4, 8, 16}) {
    const Graph graph = minimal(one_to_one(channels)).graph;
    int routers = 0;
    for (const Node& node : graph.nodes) routers += node.kind == NodeKind::channel_router ? 1 : 0;
    EXPECT_EQ(routers, channels * graph.spec.pe_count());
    for (int i = 0; i < channels; ++i) {
      const std::string name = fmt::format("sip0.cube0.pe2.ch_r{}", i);
      const auto id = graph.find_node(name);
      ASSERT_TRUE(id) << name;
      const Node& router = graph.node(*id);
      EXPECT_EQ(router.channel, i);
      EXPECT_EQ(router.params.as<params::ForwardingParams>().overhead.ns(), 2.0);
      EXPECT_EQ(router.impl, "builtin.forwarding");
      EXPECT_EQ(router.pe, PeId(2));
      const auto [out, end] = graph.out_edges(*id);
      EXPECT_EQ(end - out, 2);
      expect_link(graph, "sip0.cube0.pe2.pe_dma", name, EdgeKind::pe_to_channel, EdgeKind::channel_to_pe,
                  Bandwidth(channels == 16 ? 16 : 256), 2.5);
      expect_link(graph, name, "sip0.cube0.hbm_ctrl.pe2", EdgeKind::channel_to_hbm, EdgeKind::hbm_to_channel,
                  Bandwidth(32), 0.0);
    }
  }
}

// the lanes to PE_DMA are together no wider than its link, and the channels keep the HBM's efficiency.
TEST(Channels, AreLimitedAsTheOrdinaryPathIs) {
  const auto lane = [](const Overrides& more) {
    const Graph graph = minimal(one_to_one(8, more)).graph;
    const Edge& pe = edge_between(graph, "sip0.cube0.pe0.pe_dma", "sip0.cube0.pe0.ch_r7");
    const Edge& hbm = edge_between(graph, "sip0.cube0.pe0.ch_r7", "sip0.cube0.hbm_ctrl.pe0");
    return std::pair(pe.bw.gbs(), hbm.bw.gbs());
  };
  const std::string pe = "cube.links.pe_to_router_bw_gbs";
  const std::string efficiency = "cube.components.hbm_ctrl.attrs.efficiency";
  EXPECT_EQ(lane({{pe, "512"}}), std::pair(512.0, 32.0));
  EXPECT_EQ(lane({{pe, "128"}}), std::pair(16.0, 32.0));
  EXPECT_EQ(lane({{efficiency, "0.5"}}), std::pair(256.0, 16.0));
  EXPECT_EQ(lane({{pe, "128"}, {efficiency, "0.5"}}), std::pair(128.0, 16.0));
}

TEST(Channels, AddToTheMachineAndChangeNothingElse) {
  const Graph plain = minimal({{"cube.memory_map.address_model", "la"}}).graph;
  const Graph graph = minimal(one_to_one(8)).graph;
  std::vector<std::string> expected, found;
  for (const Node& node : plain.nodes) expected.push_back(node.id);
  for (const Node& node : graph.nodes) {
    if (node.kind != NodeKind::channel_router) found.push_back(node.id);
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(graph.edges.size(), plain.edges.size() + 4u * 8u * static_cast<std::size_t>(graph.spec.pe_count()));
  for (const Edge& edge : plain.edges) {
    const Edge& same = edge_between(graph, plain.node(edge.src).id, plain.node(edge.dst).id);
    EXPECT_EQ(same.kind, edge.kind);
    EXPECT_EQ(same.bw, edge.bw);
  }
}

TEST(Channels, AreShown) {
  const LoadedTopology machine =
      minimal(one_to_one(8, {{"system.sips.count", "1"}, {"sip.cube_mesh", "{ w: 1, h: 1 }"}}));
  EXPECT_THAT(render_summary(machine), HasSubstr("one_to_one: 8 routers per PE, 256 GB/s to PE_DMA and 32 GB/s to the "
                                                 "HBM each"));
  EXPECT_EQ(render_summary(minimal()).find("HBM channels"), std::string::npos);
  EXPECT_NE(render_dot(machine, false).find("8 channel routers"), std::string::npos);
  const std::string drawing = render_dot(machine, true), data = render_json(machine);
  EXPECT_NE(drawing.find("\"sip0.cube0.pe0.ch_r7\" -> \"sip0.cube0.hbm_ctrl.pe0\""), std::string::npos);
  EXPECT_NE(data.find("{\"id\":\"sip0.cube0.pe0.ch_r7\",\"kind\":\"channel_router\",\"label\":\"ch_r7\","
                      "\"coord\":{\"sip\":0,\"cube\":0,\"pe\":0},\"impl\":\"builtin.forwarding\","
                      "\"attrs\":{\"channel\":7,\"decode\":\"pipelined\",\"overhead_ns\":2.0},\"pos_mm\":["),
            std::string::npos);
}

}  // namespace
}  // namespace kb::topology
