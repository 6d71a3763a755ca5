#include "platform/topology/ccl_config.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CclConfig read(const std::string& text, CclOptions options = {}) {
  return load_ccl_text(text, "ccl.yaml", options);
}
std::string error_in(const std::string& text, const CclOptions& options = {}) {
  return error_of([&] { read(text, options); });
}

TEST(CclConfig, WithoutFileHasTheDefaultsOfQ22) {  // K-5, Q-22, Q-46, Q-70
  const CclConfig config = load_ccl();             // the tests' working directory has no ccl.yaml
  EXPECT_EQ(config.file, "");
  EXPECT_EQ(config.algorithm, "auto");
  EXPECT_EQ(config.module, "auto");
  EXPECT_EQ(config.tiles, TileSet::automatic);
  EXPECT_THAT(config.candidates, IsEmpty());
  EXPECT_EQ(config.buffer_kind, QueueMemory::tcm);
  EXPECT_EQ(config.backpressure, Backpressure::sleep);
  EXPECT_EQ(config.n_slots, 4u);
  EXPECT_EQ(config.slot_size, 0u);  // chosen
  EXPECT_EQ(config.vc_chunk_size, 256u);
  EXPECT_EQ(config.ipcq_credit_size_bytes, 16u);
  EXPECT_EQ(config.ipcq_poll, 1_ns);
  EXPECT_EQ(config.credit, QueueTransport::annotated);
  EXPECT_EQ(config.slot_access, QueueTransport::annotated);
  EXPECT_EQ(config.wiring, WiringPreset::intercube_multisip);
  EXPECT_EQ(config.topology, RankTopology::none);
  EXPECT_EQ(config.n_elem, 8);
  EXPECT_EQ(config.world_size, 0);
}

TEST(CclConfig, ShippedFileWritesOutTheDefaults) {
  const CclConfig shipped = load_ccl({std::string(KB_CONFIG_DIR) + "/ccl.yaml", "", {}, {}});
  const CclConfig built_in = load_ccl();
  for (const auto& [key, value] : built_in.values) EXPECT_EQ(shipped.values.at(key).value, value.value) << key;
  EXPECT_EQ(shipped.values.at("n_slots").origin, "file");
  EXPECT_EQ(shipped.values.at("w").origin, "default");
  EXPECT_THAT(shipped.warnings, IsEmpty());
  EXPECT_TRUE(is_ccl_file(std::string(KB_CONFIG_DIR) + "/ccl.yaml"));
  EXPECT_FALSE(is_ccl_file(std::string(KB_CONFIG_DIR) + "/one_pe.yaml"));
}

TEST(CclConfig, GuideListsEveryKeyAndItsExampleIsRead) {
  std::ifstream file(std::string(KB_CONFIG_DIR) + "/../docs/guides/ccl.md");
  const std::string guide((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const auto& [key, value] : load_ccl().values) EXPECT_THAT(guide, HasSubstr("`" + key + "`"));
  const std::string fence = "```yaml\n";
  const std::size_t begin = guide.find(fence) + fence.size();
  const CclConfig config = read(guide.substr(begin, guide.find("```", begin) - begin), {"", "grid", {}, {}});
  EXPECT_EQ(config.module, "mesh_allreduce");
  EXPECT_EQ(config.slot_size, 8192u);
  EXPECT_EQ(config.buffer_kind, QueueMemory::hbm);
  EXPECT_EQ(config.wiring, WiringPreset::flat);
}

const char* const kTwo =
    "defaults:\n"
    "  algorithm: ring\n"
    "  slot_size: 8192\n"
    "  n_slots: 2\n"
    "algorithms:\n"
    "  ring: { topology: ring_1d, n_slots: 8 }\n"
    "  mesh:\n"
    "    module: mesh_allreduce\n"
    "    topology: mesh_2d_no_wrap\n"
    "    w: 3\n"
    "    h: 2\n"
    "    backpressure: poll\n"
    "    ipcq_poll_ns: 2.5\n";

TEST(CclConfig, EntryOverlaysTheDefaults) {  // K-5
  const CclConfig ring = read(kTwo);
  EXPECT_EQ(ring.algorithm, "ring");
  EXPECT_EQ(ring.module, "ring");
  EXPECT_EQ(ring.n_slots, 8u);
  EXPECT_EQ(ring.slot_size, 8192u);
  EXPECT_EQ(ring.wiring, WiringPreset::flat);  // follows from the topology
  EXPECT_EQ(ring.topology, RankTopology::ring_1d);
  EXPECT_THAT(ring.algorithms, ElementsAre("ring", "mesh"));

  const CclConfig mesh = read(kTwo, {"", "mesh", {}, {}});
  EXPECT_EQ(mesh.algorithm, "mesh");
  EXPECT_EQ(mesh.module, "mesh_allreduce");
  EXPECT_EQ(mesh.n_slots, 2u);
  EXPECT_EQ(mesh.w, 3);
  EXPECT_EQ(mesh.h, 2);
  EXPECT_EQ(mesh.backpressure, Backpressure::poll);
  EXPECT_EQ(mesh.ipcq_poll, 2.5_ns);
}

TEST(CclConfig, ValuesTellWhereTheyComeFrom) {
  const CclConfig config = read(kTwo, {"", "", {{"algorithms.ring.slot_size", "64"}}, {}});
  EXPECT_EQ(config.slot_size, 64u);
  EXPECT_EQ(config.values.at("slot_size").origin, "--set");
  EXPECT_EQ(config.values.at("n_slots").origin, "file");
  EXPECT_EQ(config.values.at("n_slots").value, "8");
  EXPECT_EQ(config.values.at("buffer_kind").origin, "default");
  EXPECT_EQ(config.problem_at("n_slots", "too many", "write 1").text(),
            "ccl.yaml:6:39: algorithms.ring.n_slots: too many (write 1)");
}

TEST(CclConfig, WiringAndTopologyFollowFromEachOther) {  // Q-79, K-58, K-90
  const std::string head = "algorithms:\n  lrab_hierarchical_allreduce: ";
  const CclOptions named{"", "lrab_hierarchical_allreduce", {}, {}};
  EXPECT_EQ(read(head + "{ wiring: flat }", named).topology, RankTopology::ring_1d);
  EXPECT_EQ(read(head + "{ wiring: flat, topology: none }", named).topology, RankTopology::none);
  EXPECT_EQ(read(head + "{ topology: tree_binary }", named).wiring, WiringPreset::flat);
  EXPECT_EQ(read(head + "{ wiring: intracube_ring }", named).topology, RankTopology::none);
  EXPECT_EQ(error_in(head + "{ wiring: intracube_ring, topology: torus_2d }"),
            "ccl.yaml:2:68: algorithms.lrab_hierarchical_allreduce.topology: wiring 'intracube_ring' decides the "
            "neighbours by itself, topology 'torus_2d' has no part in it (write 'wiring: flat', or leave the topology "
            "out)");
}

TEST(CclConfig, EveryProblemIsReportedAtOnce) {  // K-6
  EXPECT_EQ(error_in("defaults:\n"
                     "  algoritm: ring\n"
                     "  buffer_kind: dram\n"
                     "  n_slots: 0\n"
                     "  slot_size: 4kB\n"
                     "  ipcq_poll_ns: 0\n"
                     "  w: 2\n"
                     "algorithms:\n"
                     "  lrab_hierarchical_allreduce: { n_slot: 3, credit: fabrik }\n"
                     "n_elem: 3\n"),
            "ccl.yaml:2:3: defaults.algoritm: unknown key 'algoritm' (did you mean 'algorithm'?)\n"
            "ccl.yaml:3:16: defaults.buffer_kind: 'dram' is not one of tcm, sram, hbm (did you mean 'sram'?)\n"
            "ccl.yaml:4:12: defaults.n_slots: 0 is out of range (it must be between 1 and 65536)\n"
            "ccl.yaml:5:14: defaults.slot_size: expected a whole number, found '4kB' (write digits only)\n"
            "ccl.yaml:6:17: defaults.ipcq_poll_ns: 0 is out of range (it must be greater than 0 and at most 1000000 "
            "ns)\n"
            "ccl.yaml:7:6: defaults.w: only one of w and h is given (give both, with w * h equal to the number of "
            "ranks)\n"
            "ccl.yaml:9:34: algorithms.lrab_hierarchical_allreduce.n_slot: unknown key 'n_slot' (did you mean "
            "'n_slots'?)\n"
            "ccl.yaml:9:53: algorithms.lrab_hierarchical_allreduce.credit: 'fabrik' is not one of annotated, fabric "
            "(did you mean 'fabric'?)\n"
            "ccl.yaml:10:1: n_elem: unknown key 'n_elem' (did you mean 'algorithms.auto.n_elem'?)");
}

TEST(CclConfig, UnknownAlgorithmsAndImplementationsAreNamed) {  // K-6
  EXPECT_EQ(error_in("defaults: { algorithm: rign }\nalgorithms: { ring: , tree: }\n"),
            "ccl.yaml:1:24: defaults.algorithm: there is no algorithm 'rign' in the section 'algorithms', and none is "
            "built in (did you mean 'ring'?)");
  EXPECT_EQ(
      error_in(kTwo, {"", "star", {}, {}}),
      "ccl.yaml: algorithm: there is no algorithm 'star' in the section 'algorithms', and none is built in (known: "
      "ring, mesh, auto, lrab_hierarchical_allreduce, three_level_allreduce, ring_allreduce, mesh_allreduce, "
      "tree_allreduce, reduce_scatter_allreduce, pairwise_allreduce, binomial_allreduce)");
  EXPECT_EQ(
      error_in(kTwo, {"", "", {}, {"ring", "meshed_allreduce"}}),
      "ccl.yaml:8:13: algorithms.mesh.module: there is no algorithm implementation 'mesh_allreduce' (did you mean "
      "'meshed_allreduce'?; one of a plug-in needs --plugin FILE, and 'none' is links without an all-reduce)");
  EXPECT_EQ(read(kTwo, {"", "", {}, {"ring", "mesh_allreduce"}}).module, "ring");
}

TEST(CclConfig, AnEntryMayHaveLinksAndNoAlgorithm) {
  const CclConfig links =
      read("defaults: { algorithm: mine }\nalgorithms: { mine: { module: none, intra_cube: ring } }\n",
           {"", "", {}, {"ring_allreduce"}});
  EXPECT_TRUE(links.links_only());
  EXPECT_EQ(links.intra_cube, IntraCube::ring);
}

TEST(CclConfig, AnEntryMayListItsLinks) {  // K-5a
  const CclConfig chain = read(
      "defaults: { algorithm: mine, wiring: flat, topology: hops }\nalgorithms:\n  mine:\n    module: none\n    "
      "links:\n"
      "      - { from: sip*.cube*.pe0, to: sip*.cube*.pe12, send: next, receive: before }\n"
      "      - { from: sip0.cube3.pe1, to: sip1.cube0.pe0, send: over, receive: back, both: true }\n");
  ASSERT_EQ(chain.links.size(), 2u);
  EXPECT_FALSE(chain.links[0].from.places[0]);
  EXPECT_EQ(chain.links[0].to.places[2], 12);
  EXPECT_EQ(chain.links[0].send, "next");
  EXPECT_FALSE(chain.links[0].both);
  EXPECT_EQ(chain.links[1].to.places[0], 1);
  EXPECT_EQ(chain.links[1].receive, "back");
  EXPECT_TRUE(chain.links[1].both);
  EXPECT_EQ(chain.links[1].place.line, 7);
  EXPECT_EQ(chain.values.at("wiring").value, "links");
}

TEST(CclConfig, WhatIsWrongInLinksIsSaidAtItsPlace) {  // K-5a
  const std::string head = "algorithms: { mine: { module: none, links: ";
  const auto link = [&](const std::string& text) { return error_in(head + "[{ " + text + " }] } }\n"); };
  EXPECT_EQ(link("from: sip0.cube0, to: sip0.cube0.pe1, send: a, receive: b"),
            "ccl.yaml:1:53: algorithms.mine.links[0].from: 'sip0.cube0' names no PE (write for example "
            "sip0.cube3.pe1, with * for any number that both ends share)");
  EXPECT_THAT(link("from: sip*.cube0.pe0, to: sip0.cube0.pe1, send: a, receive: b"),
              testing::HasSubstr("links[0].to: '*' stands for the same sip at both ends, but only one of them has it"));
  EXPECT_THAT(link("from: sip0.cube0.pe0, to: sip0.cube0.pe1, send: a"),
              testing::HasSubstr("links[0].receive: this mandatory key is missing"));
  EXPECT_THAT(link("from: sip0.cube0.pe0, to: sip0.cube0.pe1, send: a, recieve: b"),
              testing::HasSubstr("did you mean 'receive'?"));
  EXPECT_THAT(error_in(head + "3 } }\n"), testing::HasSubstr("links: expected a list, found '3'"));
  const std::string good = "links: [{ from: sip0.cube0.pe0, to: sip0.cube0.pe1, send: a, receive: b }]";
  EXPECT_THAT(error_in("algorithms: { ring_allreduce: { " + good + " } }\n"),
              testing::HasSubstr("ring_allreduce.links: links are for kernels of one's own, an algorithm brings its "
                                 "wiring (write 'module: none' beside them, or leave them out)"));
  EXPECT_THAT(error_in("algorithms: { mine: { module: none, intra_cube: ring, " + good + " } }\n"),
              testing::HasSubstr("mine.intra_cube: 'links' lists all links of this entry"));
  EXPECT_THAT(error_in("defaults: { " + good + " }\n"), testing::HasSubstr("defaults.links: unknown key"));
}

// `defaults` would be overlaid without a word.
TEST(CclConfig, AWiringThatABuiltInEntryDoesNotTakeIsRefused) {
  EXPECT_EQ(error_in("defaults: { algorithm: ring_allreduce, wiring: intracube_ring }\n"),
            "ccl.yaml:1:48: defaults.wiring: algorithm 'ring_allreduce' comes with wiring 'flat', so that "
            "'intracube_ring' would do nothing (leave it out; links for a kernel of your own are an entry with "
            "'module: none')");
  EXPECT_THAT(error_in("defaults: { algorithm: three_level_allreduce, intra_cube: mesh }\n"),
              testing::HasSubstr("comes with intra_cube 'ring'"));
  EXPECT_EQ(read("defaults: { algorithm: ring_allreduce, wiring: flat }\n").topology, RankTopology::ring_1d);
}

TEST(CclConfig, AFileAddsToTheBuiltInAlgorithms) {  // K-5
  EXPECT_EQ(read("algorithms: { ring: }\n").module, "auto");
  const CclConfig tree = read("defaults: { n_slots: 3 }\n", {"", "tree_allreduce", {}, {}});
  EXPECT_EQ(tree.topology, RankTopology::tree_binary);
  EXPECT_EQ(tree.n_slots, 3u);
  EXPECT_EQ(read("defaults: { algorithm: ring_allreduce }\nalgorithms: { mine: }\n").wiring, WiringPreset::flat);
  const CclConfig replaced =
      read("algorithms: { ring_allreduce: { topology: ring_1d_unidir } }\n", {"", "ring_allreduce", {}, {}});
  EXPECT_EQ(replaced.topology, RankTopology::ring_1d_unidir);
}

TEST(CclConfig, GridMustHoldTheRanks) {
  EXPECT_EQ(
      error_in("defaults: { algorithm: m, world_size: 7 }\nalgorithms: { m: { topology: torus_2d, w: 3, h: 2 } }"),
      "ccl.yaml:2:43: algorithms.m.w: a grid of 3 x 2 ranks does not hold 7 ranks (w * h must equal world_size)");
}

TEST(CclConfig, WarnsOfWhatHasNoEffectOrSurprises) {
  const CclConfig config = read(
      "defaults: { slot_size: 100 }\n"
      "algorithms: { lrab_hierarchical_allreduce: { root_cube: 15 }, old: { topology: mesh_2d } }\n");
  std::vector<std::string> lines;
  for (const Diagnostic& warning : config.warnings) lines.push_back(warning.text());
  EXPECT_THAT(
      lines, ElementsAre(
                 "ccl.yaml:2:57: algorithms.lrab_hierarchical_allreduce.root_cube: this key is not read: the root is "
                 "computed from the cube mesh (remove it)",
                 "ccl.yaml:1:24: defaults.slot_size: slots of 100 B do not all begin at a multiple of 16 B (write 112)",
                 "ccl.yaml:2:80: algorithms.old.topology: 'mesh_2d' is the old name of 'torus_2d' (write 'torus_2d' or "
                 "'mesh_2d_no_wrap')"));
}

TEST(CclConfig, RefusesWhatIsNoConfiguration) {
  EXPECT_EQ(error_in("- 1\n"),
            "ccl.yaml:1:1: a collective configuration is a mapping at its top level, this is a list (start with "
            "'defaults:')");
  EXPECT_EQ(error_in("algorithms: 3\n"),
            "ccl.yaml:1:13: algorithms: expected a mapping, found '3' (write 'key: value' lines below it)");
  EXPECT_EQ(error_of([] {
              load_ccl({"/none/ccl.yaml", "", {}, {}});
            }),
            "there is no file '/none/ccl.yaml' (check the path; one with every key is configs/ccl.yaml)");
  EXPECT_THAT(error_in("defaults: { n_slots: 4, n_slots: 5 }\n"), HasSubstr("appears twice"));
}

}  // namespace
}  // namespace kb::topology
