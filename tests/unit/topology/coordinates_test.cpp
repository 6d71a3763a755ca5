// Where nodes stand, against the rule for names, which is read here and nowhere in the product.
#include "platform/topology/coordinates.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/named_nodes.h"
#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

const Overrides kChannels{{"cube.memory_map.hbm_mapping_mode", "one_to_one"}, {"cube.memory_map.address_model", "la"}};

TEST(Coordinates, EveryNodeStandsWhereItsNameSays) {
  for (const Overrides& overrides : {Overrides(), kChannels}) {
    const LoadedTopology loaded = minimal(overrides);
    const std::vector<NodeEntry> entries = node_entries(loaded.graph);
    ASSERT_EQ(entries.size(), loaded.graph.nodes.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const NodeEntry expected = test::named_node(loaded.graph.nodes[i].id);
      EXPECT_EQ(entries[i].id, expected.id);
      EXPECT_EQ(entries[i].label, expected.label);
      EXPECT_EQ(entries[i].coord, expected.coord) << expected.id;
      EXPECT_EQ(entries[i].kind, node_kind_name(loaded.graph.nodes[i].kind));
    }
  }
}

TEST(Coordinates, TheJsonHasThoseThatApply) {
  const LoadedTopology loaded = minimal();
  std::size_t outside = 0;
  const nlohmann::json machine = nlohmann::json::parse(render_json(loaded));
  for (const auto& node : machine["nodes"]) {
    const NodeEntry expected = test::named_node(node["id"]);
    nlohmann::json coord = nlohmann::json::object();
    if (expected.coord.sip.valid()) coord["sip"] = expected.coord.sip.value;
    if (!expected.coord.io.empty()) coord["io"] = expected.coord.io;
    if (expected.coord.cube.valid()) coord["cube"] = expected.coord.cube.value;
    if (expected.coord.pe.valid()) coord["pe"] = expected.coord.pe.value;
    EXPECT_EQ(node["coord"], coord) << expected.id;
    EXPECT_EQ(node["label"], expected.label);
    outside += coord.empty() ? 1 : 0;
  }
  EXPECT_EQ(outside, 2u) << "the host and the switch";
}

TEST(Coordinates, NeighboursAreNamedWithoutTheirCommonChip) {
  const Graph graph = minimal().graph;
  const auto beside = [&](const char* node, const char* other) {
    return short_name(graph, graph.node(*graph.find_node(node)), graph.node(*graph.find_node(other)));
  };
  EXPECT_EQ(beside("sip0.cube0.hbm_ctrl.pe1", "sip0.cube0.r0c0"), "hbm_ctrl.pe1");
  EXPECT_EQ(beside("sip0.cube0.pe1.pe_dma", "sip0.cube0.r0c0"), "pe1.pe_dma");
  EXPECT_EQ(beside("sip0.cube1.r0c0", "sip0.cube0.r0c0"), "sip0.cube1.r0c0");
  EXPECT_EQ(beside("fabric.switch0", "sip0.io0.pcie_ep"), "fabric.switch0");
}

}  // namespace
}  // namespace kb::topology
