// The section `energy:` of a topology file, and what a user reads when it is wrong (E-110 .. E-112).
#include <gtest/gtest.h>

#include "tests/unit/topology/topology_test_support.h"

namespace kb::topology {
namespace {

using energy::Part;

std::string with(const std::string& section) {
  return std::string(kMinimal) + "energy:\n" + section;
}

const energy::Coefficient& coefficient(const LoadedTopology& machine, Part part, const char* name) {
  return *machine.graph.spec.energy->of_event[energy::find(part, name)];
}

TEST(EnergySection, WithoutItNothingIsKnownOfEnergy_E110) {
  const LoadedTopology machine = minimal();
  EXPECT_FALSE(machine.graph.spec.energy);
  for (const auto& [key, value] : machine.config) EXPECT_NE(key.rfind("energy", 0), 0u) << key;
}

TEST(EnergySection, ASetIsEnough_E111) {
  const LoadedTopology machine = load_text(with("  defaults: hbm2_7nm\n"), "t.yaml");
  ASSERT_TRUE(machine.graph.spec.energy);
  EXPECT_EQ(coefficient(machine, Part::hbm, "bit").value, 3'900'000'000);
  EXPECT_EQ(machine.config.at("energy.defaults").value, "hbm2_7nm");
  EXPECT_EQ(machine.config.count("energy.hbm.bit.pj"), 0u);
  EXPECT_TRUE(minimal({{"energy.defaults", "hbm3_7nm"}}).graph.spec.energy);
}

TEST(EnergySection, AValueReplacesThatOfTheSet_E112) {
  const LoadedTopology machine = load_text(with(R"(  defaults: hbm2_7nm
  gemm:
    mac_f16: { pj: 1.4, low: 0.7, high: 1.5, node: 4N, source: "data sheet: 700 W / 494.5 TMAC/s" }
    static: { w: 80, source: idle board }
)"),
                                           "t.yaml");
  const energy::Coefficient& mac = coefficient(machine, Part::gemm, "mac_f16");
  EXPECT_EQ(mac.value, 1'400'000'000);
  EXPECT_EQ(mac.low, 700'000'000);
  EXPECT_EQ(mac.high, 1'500'000'000);
  EXPECT_EQ(mac.node, "4N");
  EXPECT_EQ(mac.source, "data sheet: 700 W / 494.5 TMAC/s");
  EXPECT_EQ(mac.origin, energy::Coefficient::Origin::given);
  const energy::Coefficient& idle = machine.graph.spec.energy->static_power.at(Part::gemm);
  EXPECT_EQ(idle.value, 80'000'000);
  EXPECT_EQ(idle.low, idle.value);
  EXPECT_EQ(machine.config.at("energy.gemm.mac_f16.pj").value, "1.4");
}

TEST(EnergySection, TheSummaryNamesCoefficientsAndSources_E119) {
  const std::string text = render_summary(
      load_text(with("  defaults: none\n  pcie:\n    bit: { pj: 6, low: 4, high: 8, node: Gen5, source: a board }\n"
                     "    static: { w: 2.5, source: a sheet }\n"),
                "t.yaml"));
  EXPECT_NE(text.find("\nEnergy (coefficients: none)\n"
                      "  pcie.bit              6 pJ per bit                4 .. 8; a board (Gen5)\n"
                      "  pcie.static           2.5 W                       2.5 .. 2.5; a sheet\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(render_summary(minimal()).find("Energy"), std::string::npos);
}

struct Bad {
  const char* name;
  const char* section;
  const char* error;  // after "t.yaml:LINE:COLUMN: "
};
void PrintTo(const Bad& bad, std::ostream* out) {
  *out << bad.name;
}

class BadEnergy : public testing::TestWithParam<Bad> {};

TEST_P(BadEnergy, IsRefused_E112) {
  const std::string error = error_of_text(with(GetParam().section));
  EXPECT_EQ(error.rfind("t.yaml:", 0), 0u) << error;
  const std::size_t place = error.find(": ");
  ASSERT_NE(place, std::string::npos) << error;
  EXPECT_EQ(error.substr(place + 2), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Values, BadEnergy,
    testing::Values(
        Bad{"NoSet", "  hbm: { bit: { pj: 1, source: x } }\n",
            "energy.defaults: this mandatory key is missing (add it to the mapping that starts here: one of hbm2_7nm, "
            "hbm3_7nm, hbm4_7nm, none)"},
        Bad{"UnknownSet", "  defaults: hbm2_7mm\n",
            "energy.defaults: 'hbm2_7mm' is not one of hbm2_7nm, hbm3_7nm, hbm4_7nm, none (did you mean 'hbm2_7nm'?)"},
        Bad{"UnknownPart", "  defaults: none\n  router: { bit: { pj: 1, source: x } }\n",
            "energy.router: unknown key 'router' (did you mean 'routers'?)"},
        Bad{"UnknownEvent", "  defaults: none\n  gemm: { mac_fp16: { pj: 1, source: x } }\n",
            "energy.gemm.mac_fp16: unknown key 'mac_fp16' (did you mean 'mac_f16'?)"},
        Bad{"Negative", "  defaults: none\n  hbm: { bit: { pj: -1, source: x } }\n",
            "energy.hbm.bit.pj: -1 is out of range (it must be between 0 and 1000000)"},
        Bad{"LowAboveValue", "  defaults: none\n  hbm: { bit: { pj: 1, low: 2, high: 3, source: x } }\n",
            "energy.hbm.bit.low: low 2 is above pj 1 (the range has to hold the value: low <= pj <= high)"},
        Bad{"HighBelowValue", "  defaults: none\n  hbm: { bit: { pj: 4, high: 3, source: x } }\n",
            "energy.hbm.bit.high: high 3 is below pj 4 (the range has to hold the value: low <= pj <= high)"},
        Bad{"NoSource", "  defaults: none\n  hbm: { bit: { pj: 4 } }\n",
            "energy.hbm.bit.source: a coefficient needs the source of its value (add for example source: measured on "
            "our "
            "board, 2026-03)"},
        Bad{"NoValue", "  defaults: none\n  hbm: { bit: { source: x } }\n",
            "energy.hbm.bit.pj: this mandatory key is missing (add it to the mapping that starts here)"},
        Bad{"ScalarForACoefficient", "  defaults: none\n  hbm: { bit: 3.9 }\n",
            "energy.hbm.bit: expected a mapping, found '3.9' (write 'key: value' lines below it)"},
        Bad{"UnknownKey", "  defaults: none\n  hbm: { bit: { pj: 1, sorce: x, source: y } }\n",
            "energy.hbm.bit.sorce: unknown key 'sorce' (did you mean 'source'?)"},
        Bad{"UnitOfAnother", "  defaults: none\n  hbm: { bit: { pj: 1, source: y, w: 3 } }\n",
            "energy.hbm.bit.w: unknown key 'w' (known: pj, low, high, node, source)"},
        Bad{"StaticPower", "  defaults: none\n  hbm: { static: { w: 1, high: 0.5, source: x } }\n",
            "energy.hbm.static.high: high 0.5 is below w 1 (the range has to hold the value: low <= w <= high)"}),
    [](const testing::TestParamInfo<Bad>& tested) { return tested.param.name; });

TEST(EnergySection, AnOverrideNeedsItsSourceToo_E112) {
  EXPECT_EQ(
      error_of_text(with("  defaults: hbm2_7nm\n"), {{"energy.hbm.bit.pj", "4"}}),
      "--set: energy.hbm.bit.source: a coefficient needs the source of its value (add for example source: measured "
      "on our board, 2026-03)");
}

}  // namespace
}  // namespace kb::topology
