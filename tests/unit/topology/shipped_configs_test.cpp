#include <gtest/gtest.h>

#include <set>

#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

LoadedTopology shipped(const std::string& name, const Overrides& overrides = {}) {
  return load(std::string(KB_CONFIG_DIR) + "/" + name + ".yaml", overrides);
}

TEST(ShippedMachines, HaveTheirShapesWithoutWarnings) {
  struct Row {
    const char* name;
    int sips, cubes, pes;
  };
  for (const Row& row : {Row{"reference", 2, 16, 8}, Row{"one_pe", 1, 1, 1}, Row{"one_cube", 1, 1, 8},
                         Row{"one_sip", 1, 16, 8}, Row{"six_sips_torus", 6, 4, 8}, Row{"large", 16, 16, 8},
                         Row{"seed_timing", 2, 16, 8}, Row{"hbm3", 2, 16, 8}, Row{"modern", 2, 4, 8}}) {
    const LoadedTopology loaded = shipped(row.name);
    EXPECT_EQ(loaded.graph.spec.sip_count, row.sips) << row.name;
    EXPECT_EQ(loaded.graph.spec.cubes_per_sip(), row.cubes) << row.name;
    EXPECT_EQ(loaded.graph.spec.pes_per_cube(), row.pes) << row.name;
    const bool grid = loaded.graph.spec.sip_topology != SipTopology::ring_1d;  // it lays no wires, says a warning
    EXPECT_EQ(loaded.warnings.size(), grid ? 1u : 0u) << row.name;
  }
  EXPECT_EQ(shipped("six_sips_torus").graph.spec.sip_w, 3);
}

// Keys of the reference file that are only shown, because they follow from others.
const std::set<std::string> kFollowing = {"cube.memory_map.hbm_pseudo_channels",
                                          "cube.memory_map.hbm_slices_per_cube",
                                          "cube.memory_map.hbm_total_gb_per_cube",
                                          "cube.components.hbm_ctrl.attrs.access_bytes",
                                          "cube.components.hbm_ctrl.attrs.num_pcs",
                                          "cube.links.hbm_to_router_bw_gbs",
                                          "cube.pe_template.components.pe_tcm.attrs.size_mb",
                                          "cube.pe_template.components.pe_mmu.attrs.page_size"};

// The chiplet's ports follow from the mesh of cubes.
bool follows(const std::string& key) {
  return kFollowing.count(key) != 0 || key.find(".cube_ports[") != std::string::npos;
}

// The reference file writes every other key, so it shows the defaults: both ways give the same machine.
TEST(ShippedMachines, ReferenceWritesOutTheDefaults) {
  const LoadedTopology written = shipped("reference");
  const LoadedTopology defaults = minimal();
  ASSERT_EQ(written.config.size(), defaults.config.size());
  for (const auto& [key, value] : defaults.config) {
    EXPECT_EQ(written.config.at(key).value, value.value) << key;
    EXPECT_EQ(written.config.at(key).origin, follows(key) ? "default" : "file") << key;
  }
}

TEST(ShippedMachines, ReferenceTakesCommonOverrides) {
  for (const auto& [key, value] : Overrides{{"cube.links.router_link_bw_gbs", "128"},
                                            {"cube.memory_map.tcm_size_mb", "8"},
                                            {"system.sips.count", "1"},
                                            {"sip.cube_mesh.w", "1"},
                                            {"cube.pe_layout.pe_per_corner", "1"},
                                            {"cube.pe_layout.corners", "[NW, SE]"},
                                            {"cube.memory_map.hbm_channels_per_pe", "4"},
                                            {"cube.memory_map.hbm_channel_bw_gbs", "64"},
                                            {"cube.components.hbm_ctrl.attrs.efficiency", "0.8"}}) {
    EXPECT_EQ(shipped("reference", {{key, value}}).config.at(key).value, value);
  }
}

}  // namespace
}  // namespace kb::topology
