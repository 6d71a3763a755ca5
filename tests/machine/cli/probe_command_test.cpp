#include <gmock/gmock.h>

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

TEST_F(ProbeCommandTest, TablesRoutesAndChecksAreThere) {  // H-86, H-88, H-90
  const Outcome outcome = kernbench("probe --topology '" + config("reference") + "'");
  EXPECT_EQ(outcome.code, 0);
  for (const char* part : {"Actual", "Ovhd", "Drain", "Wire", "Ovhd%", "Drain%", "Eff.BW", "BN.BW", "Util%", "1 MiB",
                           "h2d-4hop", "pe-cross-sip-hbm", "<BN:", "drain:", "reverse (data)", "[v] PASS "}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
  EXPECT_THAT(outcome.out, Not(HasSubstr("[x] FAIL")));
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
