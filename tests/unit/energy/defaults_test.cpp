// The named sets of coefficients (E-111).
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "platform/energy/events.h"

namespace kb::energy {
namespace {

constexpr MemorySizes kSizes{std::uint64_t{32} << 20U, std::uint64_t{4} << 20U};

TEST(EnergyDefaults, EachHasASourceAndARangeThatHoldsIt_E111) {
  for (const std::string& set : default_sets()) {
    EXPECT_FALSE(default_set_text(set).empty());
    const Table table = defaults(set, kSizes);
    ASSERT_EQ(table.of_event.size(), events().size());
    EXPECT_TRUE(table.static_power.empty()) << set;
    for (EventId id = 0; id < events().size(); ++id) {
      if (!table.of_event[id]) continue;
      const Coefficient& one = *table.of_event[id];
      EXPECT_FALSE(one.source.empty()) << set << ' ' << events()[id].key();
      EXPECT_GT(one.low, 0) << set << ' ' << events()[id].key();
      EXPECT_LE(one.low, one.value) << set << ' ' << events()[id].key();
      EXPECT_LE(one.value, one.high) << set << ' ' << events()[id].key();
      EXPECT_EQ(one.origin, Coefficient::Origin::default_set);
    }
  }
}

TEST(EnergyDefaults, NoneAndWhatIsNotPublishedHaveNone_E111) {
  for (const auto& coefficient : defaults("none", kSizes).of_event) EXPECT_FALSE(coefficient);
  const Table table = defaults("hbm2_7nm", kSizes);
  EXPECT_FALSE(table.of_event[find(Part::pcie, "bit")]);
  EXPECT_FALSE(table.of_event[mac_of(Dtype::e4m3)]);
}

// HBM3 and HBM4 have the values of HBM2 with a wider range, and say so.
TEST(EnergyDefaults, NewerStacksAreDerived_E111) {
  const Table hbm2 = defaults("hbm2_7nm", kSizes);
  for (const char* set : {"hbm3_7nm", "hbm4_7nm"}) {
    const Table derived = defaults(set, kSizes);
    for (const EventId id : events_of(Part::hbm)) {
      EXPECT_EQ(derived.of_event[id]->value, hbm2.of_event[id]->value);
      EXPECT_LT(derived.of_event[id]->low, hbm2.of_event[id]->low);
      EXPECT_GT(derived.of_event[id]->high, hbm2.of_event[id]->high);
      EXPECT_NE(derived.of_event[id]->node.find("derived from HBM2"), std::string::npos);
    }
  }
}

// Typed here a second time, from the sources.
TEST(EnergyDefaults, ArePublishedFigures_E111) {
  const Table table = defaults("hbm2_7nm", kSizes);
  const auto pj = [&](Part part, const char* name) { return to_pj(table.of_event[find(part, name)]->value); };
  EXPECT_DOUBLE_EQ(pj(Part::hbm, "bit"), 3.9);
  // DRAMsim3: 1.2 V x mA x ns. ACT and PRE: IDD0 65 over tRC 48, less standby 55 over tRAS 34 and 40 over tRP 14.
  EXPECT_NEAR(pj(Part::hbm, "act"), 1.2 * (65 * 48 - 55 * 34 - 40 * 14), 0.5);
  EXPECT_NEAR(pj(Part::hbm, "read_bit"), 1.2 * (390 - 55) * 2 / (64 * 8), 0.005);
  EXPECT_NEAR(pj(Part::hbm, "write_bit"), 1.2 * (500 - 55) * 2 / (64 * 8), 0.005);
  EXPECT_NEAR(pj(Part::hbm, "refresh_all"), 1.2 * (250 - 55) * 260, 50);
  EXPECT_NEAR(pj(Part::hbm, "refresh"), pj(Part::hbm, "refresh_all") / 16, 1);
  EXPECT_NEAR(pj(Part::sram, "bit"), 0.05 + 0.000022 * std::sqrt(8.0 * 32 * 1024 * 1024), 1e-9);
  EXPECT_NEAR(pj(Part::tcm, "bit"), 0.05 + 0.000022 * std::sqrt(8.0 * 4 * 1024 * 1024), 1e-9);
  EXPECT_DOUBLE_EQ(pj(Part::gemm, "mac_f16"), (0.4 + 1.1) * 0.2);
  EXPECT_DOUBLE_EQ(pj(Part::gemm, "mac_i8"), (0.03 + 0.2) * 0.2);
  EXPECT_NEAR(pj(Part::gemm, "mac_f32"), (0.9 + 3.7) * 0.2, 1e-9);
}

// FlooNoC: 4 kB to the neighbour take 596 pJ in the two routers on the way. 596 / 4096 = 0.1455 pJ/B, which the paper
// rounds to 0.15 pJ/B/hop; 0.15 x 4096 would be 614 pJ.
TEST(EnergyDefaults, FourKilobytesOverOneHopTake596PicojoulesInRouters_E111) {
  const Table table = defaults("hbm2_7nm", kSizes);
  const Energy energy = table.of_event[find(Part::routers, "bit")]->times(2 * 8 * 4096);
  EXPECT_EQ(std::llround(static_cast<double>(energy.value) / 1000.0), 596);
  EXPECT_NEAR(static_cast<double>(energy.value) / 1000.0 / 4096, 0.15, 0.005);
}

TEST(EnergyEvents, HaveUniqueKeys_E110) {
  std::set<std::string> keys;
  for (const EventRow& event : events()) EXPECT_TRUE(keys.insert(event.key()).second) << event.key();
  EXPECT_EQ(part_names().size(), kParts);
}

}  // namespace
}  // namespace kb::energy
