#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

using testing::HasSubstr;

const Overrides kSmall{{"system.sips.count", "1"}, {"sip.cube_mesh", "{ w: 2, h: 1 }"}};

TEST(RenderJson, HoldsTheContract) {
  const LoadedTopology loaded = minimal(kSmall);
  const nlohmann::json json = nlohmann::json::parse(render_json(loaded));
  EXPECT_EQ(json["ns_per_mm"], 0.01);
  EXPECT_EQ(json["flit_bytes"], 256);
  ASSERT_EQ(json["nodes"].size(), loaded.graph.nodes.size());
  ASSERT_EQ(json["edges"].size(), loaded.graph.edges.size());
  for (std::size_t i = 0; i < loaded.graph.nodes.size(); ++i) {
    const Node& node = loaded.graph.nodes[i];
    EXPECT_EQ(json["nodes"][i]["id"], node.id);
    EXPECT_EQ(json["nodes"][i]["kind"], node_kind_name(node.kind));
    EXPECT_EQ(json["nodes"][i]["impl"], node.impl);
    for (const params::Field& field : node.params.table()->fields()) {
      EXPECT_EQ(json["nodes"][i]["attrs"].contains(field.name), node.params.value(field).has_value()) << field.name;
    }
    EXPECT_EQ(json["nodes"][i]["pos_mm"].is_null(), !node.pos_mm.has_value());
  }
  for (std::size_t i = 0; i < loaded.graph.edges.size(); ++i) {
    const Edge& edge = loaded.graph.edges[i];
    EXPECT_EQ(json["edges"][i]["src"], loaded.graph.node(edge.src).id);
    EXPECT_EQ(json["edges"][i]["dst"], loaded.graph.node(edge.dst).id);
    EXPECT_EQ(json["edges"][i]["kind"], edge_kind_name(edge.kind));
    EXPECT_EQ(json["edges"][i]["distance_mm"], edge.distance_mm);
    EXPECT_TRUE(json["edges"][i]["routing_weight_mm"].is_null());
    EXPECT_EQ(json["edges"][i]["bw_gbs"], edge.bw.limited() ? nlohmann::json(edge.bw.gbs()) : nlohmann::json());
  }
}

TEST(RenderJson, SpecIsTheEffectiveConfigurationInTheFilesShape) {
  const nlohmann::json spec =
      nlohmann::json::parse(render_json(minimal({{"cube.components.sram", "{ attrs: { size_mb: 7 } }"},
                                                 {"cube.links.router_overhead_ns", "+.5"},
                                                 {"cube.memory_map.tcm_scheduler_reserved_bytes", "0x1000"}})))["spec"];
  EXPECT_EQ(spec["system"]["sips"]["count"], 2);
  EXPECT_EQ(spec["cube"]["pe_layout"]["corners"], nlohmann::json::parse(R"(["NW","NE","SW","SE"])"));
  EXPECT_EQ(spec["cube"]["placement"]["m_cpu"]["pos_mm"], nlohmann::json::parse("[1.5, 5.5]"));
  EXPECT_EQ(spec["sip"]["io_chiplets"][0]["cube_ports"][1]["cube"]["xy"], nlohmann::json::parse("[1, 0]"));
  EXPECT_EQ(spec["cube"]["components"]["hbm_ctrl"]["attrs"]["num_pcs"], 8);
  EXPECT_EQ(spec["cube"]["components"]["sram"]["attrs"]["size_mb"], 7);
  EXPECT_EQ(spec["cube"]["links"]["router_overhead_ns"], 0.5);
  EXPECT_EQ(spec["cube"]["memory_map"]["tcm_scheduler_reserved_bytes"], 4096);
  EXPECT_EQ(spec["cube"]["pe_template"]["components"]["pe_scheduler"]["attrs"]["charge_fetch_store"], false);
}

TEST(Render, TwoLoadsGiveTheSameBytesT3) {
  const Overrides wide{{"cube.pe_layout.pe_per_corner", "3"}, {"cube.ucie.n_connections", "5"}};
  EXPECT_EQ(render_json(minimal(wide)), render_json(minimal(wide)));
  EXPECT_EQ(render_dot(minimal(wide), false), render_dot(minimal(wide), false));
  EXPECT_EQ(render_dot(minimal(kSmall), true), render_dot(minimal(kSmall), true));
  EXPECT_EQ(render_summary(minimal(wide)), render_summary(minimal(wide)));
  EXPECT_EQ(render_mesh(minimal(wide)), render_mesh(minimal(wide)));
}

TEST(RenderDot, RepresentativeShowsOneSipAndOneCubeT60) {
  const std::string dot = render_dot(minimal(), false);
  EXPECT_THAT(dot, HasSubstr("\"cube15\""));
  EXPECT_THAT(dot, HasSubstr("\"cube.r5c5\""));
  EXPECT_THAT(dot, testing::Not(HasSubstr("cube.r2c2")));
  EXPECT_THAT(dot, HasSubstr("\"cube.r0c0\" -- \"cube.r0c1\""));
  EXPECT_THAT(dot, HasSubstr("\"cube.r1c4\" -- \"cube.pe2\""));
  EXPECT_THAT(dot, HasSubstr("\"cube.ucie-E\" -- \"cube.r5c5\" [label=\"c3\""));
}

TEST(RenderDot, FullShowsEveryNodeAndEdge) {
  const LoadedTopology loaded = minimal(kSmall);
  const std::string dot = render_dot(loaded, true);
  std::size_t arrows = 0;
  for (std::size_t at = dot.find(" -> "); at != std::string::npos; at = dot.find(" -> ", at + 1)) ++arrows;
  EXPECT_EQ(arrows, loaded.graph.edges.size());
  for (const Node& node : loaded.graph.nodes) EXPECT_THAT(dot, HasSubstr("\"" + node.id + "\" [label="));
}

// A slow PE or a bad cable is not in the values of all.
TEST(RenderSummary, ShowsWhatTheFileReplaces) {
  const std::string file =
      std::string(kMinimal) + "replace:\n  - { nodes: sip0.cube0.pe0.pe_gemm, attrs: { mac_per_ns: 10 } }\n";
  EXPECT_THAT(render_summary(load_text(file, "t.yaml")),
              HasSubstr("\nReplaced nodes and links, which the values above do not show\n"
                        "  replace[0].attrs.mac_per_ns = 10\n  replace[0].nodes = sip0.cube0.pe0.pe_gemm\n"));
  EXPECT_THAT(render_summary(minimal()), testing::Not(HasSubstr("Replaced")));
}

TEST(RenderSummary, SaysWhatTheMachineIs) {
  const std::string text = render_summary(minimal({{"cube.links.router_link_bw_gbs", "128"}}));
  EXPECT_THAT(text, HasSubstr("PEs in all            256\n"));
  EXPECT_THAT(text, HasSubstr("HBM                          6 GiB      48 GiB    1536 GiB\n"));
  EXPECT_THAT(text, HasSubstr("HBM to router         256 GB/s per PE (8 channels of 32 GB/s), 2048 GB/s per cube\n"));
  EXPECT_THAT(text, HasSubstr("r1  4      +W       .        .        .        PE2      PE3 +E\n"));
  EXPECT_THAT(text, HasSubstr("Set on the command line\n  cube.links.router_link_bw_gbs = 128\n"));
}

TEST(Speed, LargestMachineCompilesInUnderHalfASecond) {
  const std::clock_t start = std::clock();
  const LoadedTopology loaded = minimal({{"system.sips.count", "16"}});
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 0.5);
  EXPECT_EQ(loaded.graph.spec.pe_count(), 2048);
}

}  // namespace
}  // namespace kb::topology
