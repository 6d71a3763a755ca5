#include <gtest/gtest.h>

#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

TEST(Override, ReplacesAValueAndNamesItsOrigin) {
  const LoadedTopology loaded = minimal({{"cube.links.router_link_bw_gbs", "128"}, {"system.sips.count", "1"}});
  EXPECT_EQ(loaded.graph.spec.router_link_bw, Bandwidth(128));
  EXPECT_EQ(loaded.config.at("cube.links.router_link_bw_gbs").value, "128");
  EXPECT_EQ(loaded.config.at("cube.links.router_link_bw_gbs").origin, "--set");
  EXPECT_EQ(loaded.config.at("system.sips.count").origin, "--set");
  EXPECT_EQ(loaded.config.at("sip.cube_mesh.w").origin, "file");
  EXPECT_EQ(loaded.config.at("cube.links.router_overhead_ns").origin, "default");
  EXPECT_EQ(loaded.config.at("cube.links.router_overhead_ns").value, "2");
  EXPECT_EQ(loaded.sha256, minimal().sha256);  // of the file's bytes
}

TEST(Override, LastOneWins) {
  const LoadedTopology loaded =
      minimal({{"cube.links.router_overhead_ns", "3"}, {"cube.links.router_overhead_ns", "4"}});
  EXPECT_EQ(loaded.graph.spec.router_overhead_ns, 4.0);
}

TEST(Override, ReachesListEntriesInBothSpellings) {
  EXPECT_EQ(minimal({{"sip.io_chiplets[0].n_connections", "2"}}).graph.spec.io_chiplets[0].n_connections, 2);
  const std::string text =
      "system: { sips: { count: 1 } }\nsip: { cube_mesh: { w: 1, h: 1 }, io_chiplets: [{ n_connections: 3 }] }\n"
      "cube: { pe_layout: { corners: [NW], pe_per_corner: 1 } }\n";
  EXPECT_EQ(load_text(text, "t.yaml").graph.spec.io_chiplets[0].n_connections, 3);
  EXPECT_EQ(
      load_text(text, "t.yaml", {{"sip.io_chiplets.0.n_connections", "2"}}).graph.spec.io_chiplets[0].n_connections, 2);
}

TEST(Override, TakesWholeListsAndMappings) {
  const LoadedTopology loaded = minimal({{"sip.cube_mesh", "{ w: 2, h: 1 }"}, {"cube.pe_layout.corners", "[NW, SE]"}});
  EXPECT_EQ(loaded.graph.spec.cubes_per_sip(), 2);
  EXPECT_EQ(loaded.config.at("cube.pe_layout.corners").value, "[NW, SE]");
  EXPECT_EQ(loaded.config.at("sip.cube_mesh.w").origin, "--set");
}

TEST(Override, DoesNotLeakThroughAnAlias) {
  const std::string text = std::string(kMinimal) +
                           "  placement:\n"
                           "    m_cpu: &place { pos_mm: [1.5, 5.5] }\n"
                           "    sram: *place\n";
  const LoadedTopology loaded = load_text(text, "t.yaml", {{"cube.placement.sram.pos_mm", "[16.5, 1.5]"}});
  EXPECT_EQ(loaded.graph.spec.m_cpu_x, 1.5);
  EXPECT_EQ(loaded.graph.spec.sram_x, 16.5);
}

TEST(Override, UnknownKeyIsRefusedWithTheNearest) {
  EXPECT_EQ(error_of_set("cube.links.router_lnk_bw_gbs", "1"),
            "--set: cube.links.router_lnk_bw_gbs: unknown key 'router_lnk_bw_gbs' (did you mean "
            "'router_link_bw_gbs'?)");
}

TEST(Override, MalformedPathsAndValues) {
  for (const char* path : {"", ".", "a.", ".a", "a..b", "a[", "a[]", "a[0", "a[0]b"}) {
    EXPECT_EQ(error_of_set(path, "1"), "--set: " + (*path ? std::string(path) + ": " : "") +
                                           "this is not a key path (write dotted keys, e.g. "
                                           "cube.links.router_link_bw_gbs=128)");
  }
  EXPECT_EQ(error_of_set("system.sips.count", "[1"),
            "--set: system.sips.count: the value '[1' cannot be read: YAML syntax: this '[' is not closed "
            "(write a number, a word or a YAML list)");
  EXPECT_EQ(error_of_set("system.sips.count", ""),
            "--set: system.sips.count: expected a whole number, but the key has no value (write the value after the "
            "colon, or remove the key)");
  EXPECT_EQ(error_of_set("system.sips.count.x", "1"),
            "--set: system.sips.count.x: 'x' looks into a single value (correct the key path)");
  EXPECT_EQ(error_of_set("sip.io_chiplets[3].id", "io1"),
            "--set: sip.io_chiplets[3].id: '3' is not an index into a list without entries: 0 adds the first (correct "
            "the key "
            "path)");
  EXPECT_EQ(error_of_set("system", "3"),
            "--set: system: expected a mapping, found '3' (write 'key: value' lines below it)");
}

}  // namespace
}  // namespace kb::topology
