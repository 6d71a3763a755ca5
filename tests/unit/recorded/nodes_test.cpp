// The directory of a run's nodes, by which names are looked up.
#include "sim/analysis/recorded/nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "platform/topology/coordinates.h"
#include "platform/topology/topology.h"
#include "tests/support/named_nodes.h"

namespace kb::analysis {
namespace {

using Json = nlohmann::json;
using kb::test::named_node;
using kb::test::named_nodes;
using ::testing::ElementsAre;

Nodes nodes_of(const std::vector<NodeEntry>& entries) {
  Nodes nodes;
  for (const NodeEntry& entry : entries) nodes.add(entry);
  return nodes;
}

TEST(Nodes, PartsStandBehindWhatIsAboveThem) {
  const Nodes nodes = nodes_of(named_nodes(
      {"fabric.switch0", "sip0.cube1.pe2.pe_dma", "sip0.cube1.hbm_ctrl.pe2", "sip0.io0.pcie_ep", "sip1.a"}));
  std::vector<std::string> parts;
  for (const Nodes::Part& part : nodes.parts()) {
    parts.push_back(part.id + (part.above ? " in " + nodes.parts()[*part.above].id : ""));
  }
  EXPECT_THAT(parts,
              ElementsAre("sip0", "sip0.cube1 in sip0", "sip0.cube1.pe2 in sip0.cube1", "sip0.io0 in sip0", "sip1"));
}

TEST(Nodes, ANameIsTheMachineAPartANodeOrNothing) {
  const Nodes nodes = nodes_of(named_nodes({"host", "sip0.cube1.r0c0", "sip0.cube10.r0c0", "sip0.cube1.pe2.pe_dma"}));
  const auto has = [&](const char* name, const char* node) {
    return nodes.scope(name).has(node, named_node(node).coord);
  };
  EXPECT_TRUE(has("", "host"));
  EXPECT_TRUE(has("", "sip0.cube1.r0c0"));
  EXPECT_TRUE(has("sip0", "sip0.cube1.r0c0"));
  EXPECT_FALSE(has("sip0", "host"));
  EXPECT_TRUE(has("sip0.cube1", "sip0.cube1.pe2.pe_dma"));
  EXPECT_FALSE(has("sip0.cube1", "sip0.cube10.r0c0"));
  EXPECT_TRUE(has("sip0.cube1.pe2", "sip0.cube1.hbm_ctrl.pe2")) << "its slice";
  EXPECT_TRUE(has("sip0.cube1.r0c0", "sip0.cube1.r0c0"));
  EXPECT_FALSE(has("sip0.cube1.r0c0", "sip0.cube1.pe2.pe_dma"));
  EXPECT_FALSE(has("sip0.cube", "sip0.cube1.r0c0"));
  EXPECT_FALSE(nodes.scope("sip7").part().has_value());
}

// What the page makes of it, as web/src/nodes.ts does.
std::vector<NodeEntry> read_directory(const Json& json) {
  std::vector<NodeEntry> found;
  const auto coord_of = [&](std::int64_t part) {
    NodeCoord coord;
    for (; part >= 0; part = json["parts"][static_cast<std::size_t>(part)][4]) {
      const Json& row = json["parts"][static_cast<std::size_t>(part)];
      if (row[2] == "sip") coord.sip = SipId(row[3]);
      if (row[2] == "io") coord.io = row[1];
      if (row[2] == "cube") coord.cube = CubeId(row[3]);
      if (row[2] == "pe") coord.pe = PeId(row[3]);
    }
    return coord;
  };
  for (std::size_t i = 0; i < json["parts"].size(); ++i) {
    for (const Json& own : json["lists"][json["parts"][i][5].get<std::size_t>()]) {
      const std::string label = own[0];
      found.push_back({json["parts"][i][0].get<std::string>() + "." + label, own[1], label,
                       coord_of(static_cast<std::int64_t>(i))});
    }
  }
  for (const Json& one : json["others"]) found.push_back({one[0], one[2], one[1], coord_of(one[3])});
  return found;
}

TEST(Nodes, TheDirectoryHasEveryNodeOnce) {
  for (const char* config : {"one_pe.yaml", "reference.yaml"}) {
    const auto machine = topology::load(std::string(KB_SOURCE_DIR) + "/configs/" + config);
    std::vector<NodeEntry> expected = topology::node_entries(machine.graph);
    const std::string text = nodes_of(expected).directory();
    if (expected.size() > 1000) {
      EXPECT_LT(text.size(), 20 * expected.size()) << "what is common is said once";
    }
    std::vector<NodeEntry> found = read_directory(Json::parse(text));
    const auto by_id = [](const NodeEntry& a, const NodeEntry& b) { return a.id < b.id; };
    std::sort(expected.begin(), expected.end(), by_id);
    std::sort(found.begin(), found.end(), by_id);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].id, expected[i].id);
      EXPECT_EQ(found[i].kind, expected[i].kind) << found[i].id;
      EXPECT_EQ(found[i].label, expected[i].label);
      EXPECT_EQ(found[i].coord, expected[i].coord) << found[i].id;
    }
  }
}

}  // namespace
}  // namespace kb::analysis
