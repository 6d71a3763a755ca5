// HBM controllers with banks in a topology: their parameters, and what cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/params/hbm_banked_params.h"
#include "platform/params/memory_traits.h"
#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kAttrs = "cube.components.hbm_ctrl.attrs.";

Overrides banked(const Overrides& more = {}) {
  Overrides all{{"cube.components.hbm_ctrl.impl", params::kHbmBanked},
                {kAttrs + "sids", "3"},
                {"cube.memory_map.hbm_channel_bw_gbs", "25.6"}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}
std::string error_with(const Overrides& overrides) {
  return error_of([&] { load_text(kMinimal, "t.yaml", overrides); });
}

TEST(BankedMemory, HasParametersOfItsOwn_CDRAM1) {
  const LoadedTopology loaded =
      load_text(kMinimal, "t.yaml", banked({{kAttrs + "tRCDRD", "33"}, {kAttrs + "hash", "xor"}}));
  const ComponentSpec& component = loaded.graph.spec.cube_components.at("hbm_ctrl");
  const auto& params = component.impl_params.as<params::HbmBankedParams>();
  const dram::Standard standard = params.standard();
  EXPECT_EQ(standard.name, "hbm3_6400");
  EXPECT_EQ(standard.geometry.sids, 3);
  EXPECT_EQ(standard.timing.rcdrd, 33);
  EXPECT_EQ(standard.source_of("RCDRD"), "configured");
  EXPECT_EQ(standard.channel_gbs(), 25.6);
  EXPECT_EQ(params.hash, dram::BankHash::xor_row);
  EXPECT_FALSE(component.foreign);
}

// 256 B of one row: front end 8, tRCD 31, CL 20, seven tCCDL of 4, BL 2, back end 6; a burst takes 10 ns on the bus.
TEST(BankedMemory, TraitsAreThoseOfAnIdleBank) {
  const LoadedTopology loaded = load_text(kMinimal, "t.yaml", banked());
  const params::MemoryTraits traits = loaded.graph.spec.hbm_traits();
  EXPECT_EQ(traits.access, 8_ns + 82 * 625'000_fs + 6_ns - 10_ns);
  EXPECT_EQ(traits.write_access, 8_ns + (16 + 10 + 28 + 2) * 625'000_fs - 10_ns);
  EXPECT_EQ(traits.access_bytes, 32u);
  EXPECT_EQ(traits.efficiency, 1.0);
}

TEST(BankedMemory, ABurstShorterThanAnAccessCostsAWholeOne) {
  const LoadedTopology loaded = load_text(kMinimal, "t.yaml", banked({{kAttrs + "burst_bytes", "16"}}));
  EXPECT_EQ(loaded.graph.spec.hbm_traits().access, 8_ns + (32 + 20 + 2 - 2) * 625'000_fs + 6_ns);
  ASSERT_FALSE(loaded.warnings.empty());
  EXPECT_EQ(loaded.warnings[0].text(), "--set: " + kAttrs +
                                           "burst_bytes: a burst of 16 B takes an access of 32 B: 50 % of the memory's "
                                           "bandwidth (write 32 or more)");
}

TEST(BankedMemory, RefusesWhatCannotBe_CDRAM10) {
  EXPECT_THAT(error_with(banked({{kAttrs + "access_ns", "34"}})),
              HasSubstr("access_ns: 'access_ns' is not set here (leave it out: with banks it follows"));
  EXPECT_THAT(error_with(banked({{kAttrs + "efficiency", "0.9"}})), HasSubstr("'efficiency' is not set here"));
  EXPECT_THAT(error_with(banked({{kAttrs + "preset", "hbm3_640"}})), HasSubstr("did you mean 'hbm3_6400'?"));
  EXPECT_THAT(error_with(banked({{"cube.memory_map.hbm_channel_bw_gbs", "32"}})),
              HasSubstr("a pseudo-channel of hbm3_6400 has 25.6 GB/s, but here it has 32"));
  EXPECT_THAT(error_with(banked({{kAttrs + "sids", "2"}})),
              HasSubstr("its share of the slice is 768 MiB (write rows: 24576"));
  EXPECT_THAT(error_with(banked({{kAttrs + "tRC", "60"}})), HasSubstr("tRC >= tRAS + tRP contradicts itself: 60 < 71"));
  EXPECT_THAT(error_with(banked({{kAttrs + "tRC", "80.5"}})), HasSubstr("80.5 is no whole number (write ticks)"));
  EXPECT_THAT(error_with(banked({{kAttrs + "map", "col:3 bg:2 bank:2 sid row"}})),
              HasSubstr("'col' has 3 bits and needs 5"));
  EXPECT_THAT(error_with(banked({{kAttrs + "tREFI", "300"}})), HasSubstr("leaves no time"));
  EXPECT_THAT(error_with(banked({{kAttrs + "high", "40"}})), HasSubstr("high is 40, but there are 32 write_entries"));
  EXPECT_THAT(error_with(banked({{kAttrs + "low", "26"}})), HasSubstr("low is 26, but high is 26"));
  EXPECT_THAT(error_with(banked({{kAttrs + "burst_bytes", "512"}})),
              HasSubstr("a burst of 512 B is longer than 256 B"));
  EXPECT_THAT(error_with(banked(
                  {{"cube.memory_map.hbm_channels_per_pe", "1"}, {"cube.memory_map.hbm_total_gb_per_cube", "0.5"}})),
              HasSubstr("a channel has two pseudo-channels, and there is 1"));
}

// Problems stand where the value was written that they are about, and a value that cannot be read has no consequences.
TEST(BankedMemory, ProblemsNameTheValueThatContradicts_CDRAM10) {
  const auto error = [](const std::string& key, const std::string& value) {
    return error_with(banked({{kAttrs + key, value}}));
  };
  EXPECT_EQ(error("tRC", "60"), "--set: " + kAttrs +
                                    "tRC: tRC >= tRAS + tRP contradicts itself: 60 < 71 ticks (change " +
                                    "the value that contradicts, or leave it out)");
  EXPECT_THAT(error("tCL", "90"), HasSubstr("attrs.tCL: tRTW + CWL >= CL + BL contradicts itself"));
  EXPECT_THAT(error("bank_groups", "3"), HasSubstr("attrs.bank_groups: 3 bank groups of 4 banks"));
  EXPECT_THAT(error("sids", "5"), HasSubstr("attrs.sids: 5 SIDs with 80 banks"));
  EXPECT_THAT(error("high", "4"), HasSubstr("attrs.high: low is 6, but high is 4 (low has to be less than high)"));
  EXPECT_THAT(error("write_entries", "4"), HasSubstr("attrs.write_entries: high is 26, but there are 4"));
  EXPECT_THAT(error("tRFCPB", "10000"), HasSubstr("attrs.tRFCPB: refresh of hbm3_6400 leaves no time"));
  EXPECT_EQ(error("tck_ns", "0"),
            "--set: " + kAttrs + "tck_ns: 0 is out of range (it must be between 0.001 and 100 ns)");
}

// The second entry contradicts what the first one gave to one of its nodes, and no other.
TEST(BankedMemory, EveryControllerOfAnEntryIsChecked_CDRAM1) {
  EXPECT_THAT(error_with(banked({{"replace[0].nodes", "sip0.cube0.hbm_ctrl.pe1"},
                                 {"replace[0].attrs.low", "20"},
                                 {"replace[1].nodes", "sip0.cube0.hbm_ctrl.*"},
                                 {"replace[1].attrs.high", "10"}})),
              HasSubstr("high of sip0.cube0.hbm_ctrl.pe1: low is 20, but high is 10"));
}

// A block of a plug-in may have attributes of the same names.
TEST(BankedMemory, AnotherImplementationHasAttributesOfItsOwn) {
  const std::string text = error_with({{"replace[0].nodes", "sip0.cube0.hbm_ctrl.pe0"},
                                       {"replace[0].impl", "custom.banked_memory"},
                                       {"replace[0].attrs.banks", "8"}});
  EXPECT_THAT(text, HasSubstr("custom.banked_memory"));
  EXPECT_THAT(text, Not(HasSubstr("is not set here")));
}

TEST(BankedMemory, AttributesOfBanksNameTheImplementationThatHasThem) {
  EXPECT_THAT(error_with({{kAttrs + "refresh", "none"}}),
              HasSubstr("'refresh' is not set here (it is an attribute of builtin.hbm_banked: add impl: "
                        "builtin.hbm_banked)"));
}

TEST(BankedMemory, SummaryHasPresetMapAndQueue_CDRAM2) {
  const std::string text = render_summary(load_text(kMinimal, "t.yaml", banked({{kAttrs + "hash", "xor"}})));
  EXPECT_THAT(text, HasSubstr("hbm3_6400: 3 stack IDs x 4 bank groups x 4 banks x 16384 rows"));
  EXPECT_THAT(text, HasSubstr("col:3 bg:2 bank:2 sid col:2 row, hash xor"));
  EXPECT_THAT(text, HasSubstr("64 reads and 32 writes of 256 B per channel"));
}

// A replaced node has the links of a memory without efficiency.
TEST(BankedMemory, MayReplaceSingleControllersT28) {
  const std::string entry =
      "replace:\n  - { nodes: \"sip0.cube0.hbm_ctrl.pe0\", impl: builtin.hbm_banked, attrs: { preset: hbm4_8000, sids: "
      "3, pc_bw_gbs: 32 } }\n";
  const LoadedTopology loaded = load_text(kMinimal + entry, "t.yaml", {{kAttrs + "efficiency", "0.5"}});
  const NodeId id = *loaded.graph.find_node("sip0.cube0.hbm_ctrl.pe0");
  EXPECT_EQ(loaded.graph.node(id).impl, params::kHbmBanked);
  for (const Edge& edge : loaded.graph.edges) {
    if (edge.src == id) {
      EXPECT_EQ(edge.bw.gbs(), 256.0);
    }
  }
  const std::string wrong =
      "replace:\n  - { nodes: \"sip0.cube0.hbm_ctrl.pe0\", impl: builtin.hbm_banked, attrs: { preset: hbm4_8000 } }\n";
  EXPECT_THAT(error_of([&] { load_text(kMinimal + wrong, "t.yaml", {}); }),
              HasSubstr("its share of the slice is 768 MiB"));
}

}  // namespace
}  // namespace kb::topology
