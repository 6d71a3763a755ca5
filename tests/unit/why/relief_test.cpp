// Which reliefs a machine has, and that each is a machine that a run accepts. H-82q.
#include "sim/study/why/relief.h"

#include <gmock/gmock.h>

#include "platform/base/glob.h"
#include "sim/study/why/relief_parts.h"

namespace kb::why {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

using Overrides = std::vector<std::pair<std::string, std::string>>;

topology::LoadedTopology machine(const std::string& name, const Overrides& overrides = {}) {
  return topology::load(std::string(KB_SOURCE_DIR) + "/configs/" + name + ".yaml", overrides);
}

// Every kind of wire and block was used.
std::vector<ClassUse> everything(const topology::Graph& graph) {
  std::map<std::string, ClassUse> wires, blocks;
  for (const topology::Edge& edge : graph.edges) {
    const std::string kind(edge_kind_name(edge.kind));
    wires[kind] = {kind, true, 1_ns, 1_ns, {{wire_name(graph, edge), 1_ns, 1_ns}}};
  }
  for (const topology::Node& node : graph.nodes) {
    const std::string kind(node_kind_name(node.kind));
    blocks[kind] = {kind, false, 1_ns, 1_ns, {{node.id, 1_ns, 1_ns}}};
  }
  std::vector<ClassUse> uses;
  for (const auto& [kind, use] : wires) uses.push_back(use);
  for (const auto& [kind, use] : blocks) uses.push_back(use);
  return uses;
}

std::vector<std::string> ids(const std::vector<Relief>& reliefs) {
  std::vector<std::string> list;
  for (const Relief& relief : reliefs) list.push_back(relief.id);
  return list;
}

const Relief& relief(const std::vector<Relief>& reliefs, const std::string& id) {
  const auto found = std::find_if(reliefs.begin(), reliefs.end(), [&](const Relief& one) { return one.id == id; });
  if (found == reliefs.end()) throw std::runtime_error("there is no relief " + id);
  return *found;
}

// The machine with a relief differs from the one without, in nodes or wires.
std::string state_of(const topology::Graph& graph) {
  std::string text;
  for (const topology::Edge& edge : graph.edges) text += number(edge.bw.limited() ? edge.bw.gbs() : 0) + " ";
  for (const topology::Node& node : graph.nodes) {
    if (node.params.table() == nullptr) continue;
    for (const params::Field& field : node.params.table()->fields()) {
      const auto value = node.params.value(field);
      text += value ? params::value_text(*value) + " " : "- ";
    }
  }
  return text;
}

MATCHER_P(MatchesName, name, "matches the name") {
  return glob_match(arg, name);
}

TEST(Relief, EachIsAnotherMachine) {
  for (const char* name : {"reference", "one_cube", "one_pe", "six_sips_torus", "hbm3"}) {
    const topology::LoadedTopology loaded = machine(name);
    const std::string before = state_of(loaded.graph);
    for (const Relief& one : reliefs_of(loaded, everything(loaded.graph))) {
      const auto relieved = machine(name, overrides_of({one.changes, true}, 0));
      EXPECT_NE(state_of(relieved.graph), before) << name << ": " << one.id;
    }
  }
}

TEST(Relief, IdsAreDifferent) {
  const topology::LoadedTopology loaded = machine("reference");
  std::vector<std::string> list = ids(reliefs_of(loaded, everything(loaded.graph)));
  std::sort(list.begin(), list.end());
  EXPECT_EQ(std::adjacent_find(list.begin(), list.end()), list.end());
}

TEST(Relief, AKindOfWireIsRelievedWhole) {
  const topology::LoadedTopology loaded = machine("reference");
  const Relief one = relief(reliefs_of(loaded, everything(loaded.graph)), "rate ucie_mesh");
  const auto relieved = machine("reference", overrides_of({one.changes, true}, 0));
  for (std::size_t i = 0; i < loaded.graph.edges.size(); ++i) {
    const topology::Edge& edge = relieved.graph.edges[i];
    const bool same = edge.bw.gbs() == loaded.graph.edges[i].bw.gbs();
    EXPECT_EQ(same, edge.kind != topology::EdgeKind::ucie_mesh) << wire_name(relieved.graph, edge);
  }
}

TEST(Relief, UnusedWiresHaveNone) {
  const topology::LoadedTopology loaded = machine("reference");
  EXPECT_THAT(ids(reliefs_of(loaded, {})), Not(Contains("rate ucie_mesh")));
  EXPECT_THAT(ids(reliefs_of(loaded, {{"ucie_mesh", true, 1_ns, 0_fs, {}}})), Contains("rate ucie_mesh"));
}

TEST(Relief, WhatIsRelievedHasNone) {
  const auto loaded = machine("one_cube", {{"cube.links.router_overhead_ns", "0"}});
  const std::vector<std::string> list = ids(reliefs_of(loaded, everything(loaded.graph)));
  EXPECT_THAT(list, Not(Contains("delay noc_router overhead_ns")));
  EXPECT_THAT(ids(reliefs_of(machine("one_cube"), everything(loaded.graph))), Contains("delay noc_router overhead_ns"));
}

TEST(Relief, ASlowLinkBecomesLikeOthers) {
  const std::string link = "sip0.cube6.ucie-W -> sip0.cube5.ucie-E";
  const auto loaded = machine("reference", {{"replace[0].links", link}, {"replace[0].attrs.bw_gbs", "32"}});
  const Relief one = relief(reliefs_of(loaded, everything(loaded.graph)), "odd " + link + " bw_gbs");
  EXPECT_EQ(one.scope, Scope::odd_one);
  EXPECT_THAT(one.changes, ElementsAre(Change{Change::Where::links, link, "bw_gbs", "512"}));
}

TEST(Relief, SeveralThatDifferAreAlsoRelievedTogether) {
  const auto loaded = machine("one_cube", {{"replace[0].nodes", "\"*.pe5.pe_math\""},
                                           {"replace[0].attrs.elements_per_ns", "8"},
                                           {"replace[1].nodes", "\"*.pe6.pe_math\""},
                                           {"replace[1].attrs.elements_per_ns", "16"}});
  const Relief one = relief(reliefs_of(loaded, everything(loaded.graph)), "odd pe_math elements_per_ns");
  EXPECT_EQ(one.scope, Scope::odd_ones);
  EXPECT_EQ(one.changes.size(), 2u);
}

TEST(Relief, AStragglerBecomesLikeOthers) {
  const std::string node = "sip0.cube0.pe5.pe_math";
  const auto loaded = machine("one_cube", {{"replace[0].nodes", node}, {"replace[0].attrs.elements_per_ns", "8"}});
  const std::vector<Relief> reliefs = reliefs_of(loaded, everything(loaded.graph));
  EXPECT_THAT(relief(reliefs, "odd " + node + " elements_per_ns").changes,
              ElementsAre(Change{Change::Where::nodes, node, "elements_per_ns", "256"}));
  EXPECT_THAT(ids(reliefs), Not(Contains("odd pe_math elements_per_ns"))) << "one is no group";
}

TEST(Relief, OneHbmControllerHasItsOwnEfficiency) {
  const std::string node = "sip0.cube0.hbm_ctrl.pe3";
  const auto loaded = machine("one_cube", {{"replace[0].nodes", node}, {"replace[0].attrs.efficiency", "0.5"}});
  const auto id = loaded.graph.find_node(node);
  ASSERT_TRUE(id);
  for (const topology::Edge& edge : loaded.graph.edges) {
    if (edge.kind != topology::EdgeKind::hbm_to_router && edge.kind != topology::EdgeKind::router_to_hbm) continue;
    EXPECT_EQ(edge.bw.gbs(), edge.src == *id || edge.dst == *id ? 128.0 : 256.0);
  }
  EXPECT_THAT(ids(reliefs_of(loaded, everything(loaded.graph))), Contains("odd " + node + " efficiency"));
}

TEST(Relief, CallsAndTensorsHaveTheirsAloneAndTogether) {
  std::vector<Relief> reliefs;
  using Kind = CodeUse::Kind;
  add_code_reliefs({{Kind::no_wait, "a.cpp:20", "a.cpp:20 load h", 30_ns},
                    {Kind::no_wait, "a.cpp:9", "a.cpp:9 load x", 10_ns},
                    {Kind::copies, "h", "h, which 8 PEs read from 1 memory", 30_ns},
                    {Kind::work, "sip0.cube0.pe2:0.25,sip0.cube0.pe3:0.50", "sip0.cube0.pe2 and 1 other PEs", 5_ns},
                    {Kind::host_copies, "", "the host", 4_ns}},
                   reliefs);
  EXPECT_THAT(ids(reliefs),
              ElementsAre("code no-wait a.cpp:20", "code no-wait a.cpp:9", "code no-wait", "code copies h",
                          "code work sip0.cube0.pe2:0.25,sip0.cube0.pe3:0.50", "code host-copies"));
  EXPECT_THAT(reliefs[4].changes, ElementsAre(Change{Change::Where::code, "work", "", "sip0.cube0.pe2:0.25"},
                                              Change{Change::Where::code, "work", "", "sip0.cube0.pe3:0.50"}));
  EXPECT_THAT(reliefs[5].changes, ElementsAre(Change{Change::Where::code, "host-copies", "", ""}));
  const Relief& together = relief(reliefs, "code no-wait");
  EXPECT_EQ(together.scope, Scope::codes);
  EXPECT_EQ(together.used, 40_ns);
  EXPECT_THAT(together.text, testing::HasSubstr("a.cpp:20 load h, a.cpp:9 load x"));
  EXPECT_THAT(together.changes, ElementsAre(Change{Change::Where::code, "no-wait", "", "a.cpp:20"},
                                            Change{Change::Where::code, "no-wait", "", "a.cpp:9"}));
}

// Every block and every wire with a rate has a pattern of its kind.
TEST(Relief, EachKindHasPatterns) {
  for (const char* name : {"reference", "one_pe", "six_sips_torus"}) {
    const topology::LoadedTopology loaded = machine(name);
    const Patterns patterns(loaded.graph);
    for (const topology::Node& node : loaded.graph.nodes) {
      EXPECT_THAT(patterns.of(node.kind), Contains(MatchesName(node.id))) << node.id;
    }
    for (const topology::Edge& edge : loaded.graph.edges) {
      if (edge.kind == topology::EdgeKind::pe_internal || !edge.bw.limited()) continue;
      EXPECT_THAT(patterns.of(edge.kind), Contains(MatchesName(wire_name(loaded.graph, edge))));
    }
  }
}

TEST(Relief, PatternsAreShortAndExact) {
  const topology::LoadedTopology loaded = machine("reference");
  const Patterns patterns(loaded.graph);
  EXPECT_THAT(patterns.of(topology::NodeKind::pe_gemm), ElementsAre("*.pe_gemm"));
  EXPECT_THAT(patterns.of(topology::EdgeKind::router_to_pe), ElementsAre("*.r*c* -> *.pe_dma"));
  EXPECT_THAT(patterns.of(topology::EdgeKind::pe_to_channel), IsEmpty());
}

}  // namespace
}  // namespace kb::why
