#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using ProbeCommandTest = CommandLineTest;

TEST_F(ProbeCommandTest, EveryShippedMachinePassesEveryCheck) {  // H-88, H-89
  KB_SKIP_UNDER_SANITIZERS();
  int machines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(KB_SOURCE_DIR) + "/configs")) {
    if (entry.path().extension() != ".yaml" || entry.path().stem() == "ccl") continue;
    ++machines;
    const nlohmann::json report = json("probe --strict --json --topology '" + entry.path().string() + "'");
    EXPECT_EQ(report["ok"], true) << entry.path();
    EXPECT_EQ(report["cases"].size() + report["skipped"].size(), 23u);
    for (const auto& probe : report["cases"]) EXPECT_GE(probe["completed_ns"], probe["formula_ns"]) << probe["case"];
  }
  EXPECT_GE(machines, 6);
}

TEST_F(ProbeCommandTest, CasesAndChecksFitOneScreen) {  // H-86, H-88
  const Outcome outcome = kernbench("probe --topology '" + config("reference") + "'");
  EXPECT_EQ(outcome.code, 0);
  for (const char* part : {"Actual", "Completed", "Formula", "Ovhd", "Access", "Drain", "Wire", "Eff.BW", "BN.BW",
                           "Util%", "h2d-4hop", "pe-cross-sip-hbm", "[v] PASS "}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
  for (const char* part : {"[x] FAIL", "<BN:", "1 MiB"}) EXPECT_THAT(outcome.out, Not(HasSubstr(part)));
  EXPECT_LE(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 50);
}

TEST_F(ProbeCommandTest, RoutesAndUtilisationBySizeOnRequest) {  // H-86, H-90
  const Outcome outcome = kernbench("probe --routes --topology '" + config("reference") + "'");
  EXPECT_EQ(outcome.code, 0);
  for (const char* part : {"1 MiB", "<BN:", "drain:", "reverse (data)", "[v] PASS "}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
}

TEST_F(ProbeCommandTest, ReadsFromHbmHaveItsAccessTime) {  // F-63
  const nlohmann::json report = json("probe --json --topology '" + config("hbm3") + "'");
  int reads = 0;
  for (const auto& probe : report["cases"]) {
    const std::string name = probe["case"];
    const bool hbm = name.find("-hbm") != std::string::npos || name.find("hop") != std::string::npos;
    const bool reads_hbm = hbm && name.rfind("h2d", 0) != 0;
    reads += reads_hbm ? 1 : 0;
    EXPECT_EQ(probe["access_ns"], reads_hbm ? 55.25 : 0.0) << name;
    const double parts = probe["overhead_ns"].get<double>() + probe["access_ns"].get<double>() +
                         probe["wire_ns"].get<double>() + probe["drain_ns"].get<double>();
    EXPECT_NEAR(probe["formula_ns"].get<double>(), parts, 1e-6) << name;
  }
  EXPECT_GT(reads, 3);
}

// The refreshes of banks are no part of the formula: the case is measured without them, too.
TEST_F(ProbeCommandTest, BanksAreMeasuredWithAndWithoutRefresh) {  // H-84
  const std::string probe = "probe --json --case pe-local-hbm --topology '" + config("modern") + "' ";
  const std::string refresh = "--set cube.components.hbm_ctrl.attrs.refresh=none";
  const nlohmann::json with = json(probe)["cases"][0], never = json(probe + refresh)["cases"][0];
  EXPECT_EQ(with["actual_ns"], 485.875002);
  EXPECT_EQ(with["without_refresh"]["actual_ns"], 240.250002);
  EXPECT_EQ(with["without_refresh"]["actual_ns"], never["actual_ns"]);
  EXPECT_EQ(with["without_refresh"]["completed_ns"], never["completed_ns"]);
  EXPECT_TRUE(never["without_refresh"].is_null());
  EXPECT_TRUE(
      json("probe --json --case pe-own-sram --topology '" + config("modern") + "'")["cases"][0]["without_refresh"]
          .is_null());
  const std::string column = "No refresh";
  EXPECT_THAT(kernbench("probe --case pe-local-hbm --topology '" + config("modern") + "'").out, HasSubstr(column));
  EXPECT_THAT(kernbench("probe --case pe-local-hbm --topology '" + config("hbm3") + "'").out, Not(HasSubstr(column)));
}

TEST_F(ProbeCommandTest, OneCaseAloneComparesNothing) {  // H-91
  const Outcome outcome = kernbench("probe --case pe-local-hbm --topology '" + config("one_pe") + "'");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("pe-local-hbm"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("h2d-1hop")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("PASS")));
}

TEST_F(ProbeCommandTest, SmallMachinesSayWhatTheyCannotHave) {
  EXPECT_THAT(kernbench("probe --topology '" + config("one_pe") + "'").out,
              HasSubstr("skipped pe-cross-sip-hbm: the machine has one SIP"));
}

}  // namespace
}  // namespace kb::test
