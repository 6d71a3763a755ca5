// Memory with banks on the command line: traces of its commands, and what why says of it.
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// One PE with a slice of HBM3.
constexpr const char* kBanks =
    " --topology one_pe --set cube.components.hbm_ctrl.impl=builtin.hbm_banked --set "
    "cube.components.hbm_ctrl.attrs.sids=3"
    " --set cube.memory_map.hbm_channel_bw_gbs=25.6";

class DramTraceTest : public CommandLineTest {};

TEST_F(DramTraceTest, EveryCommandOfARunIsLegal_CDRAM10) {
  const std::string run = std::string("run --bench gemm-single-pe --quiet --verify-data --dram-trace t.gz") + kBanks;
  const Outcome traced = kernbench(run);
  ASSERT_EQ(traced.code, 0) << traced.err;
  const Outcome checked = kernbench("check --dram-trace t.gz --json");
  EXPECT_EQ(checked.code, 0) << checked.out;
  const nlohmann::json report = nlohmann::json::parse(checked.out);
  EXPECT_EQ(report["violations"], 0);
  EXPECT_EQ(report["preset"], "hbm3_6400");
  EXPECT_GT(report["counts"]["RD"], 100);
  EXPECT_GT(report["counts"]["WR"], 100);
}

TEST_F(DramTraceTest, TheTraceChangesNoTime) {
  const std::string run = std::string("run --bench gemm-single-pe --json") + kBanks;
  const nlohmann::json plain = json(run), traced = json(run + " --dram-trace t.txt");
  EXPECT_EQ(plain["sim_time_ns"], traced["sim_time_ns"]);
  EXPECT_THAT(read("t.txt"), HasSubstr("# channel 3 sip0.cube0.hbm_ctrl.pe0\n"));
}

TEST_F(DramTraceTest, NeedsAMemoryWithBanks) {
  const Outcome outcome = kernbench("run --topology one_pe --bench noop --dram-trace t.txt");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--dram-trace needs a memory with banks: --set cube.components.hbm_ctrl.impl="));
  EXPECT_THAT(files(), Not(testing::Contains("t.txt")));
}

TEST_F(DramTraceTest, DataModesAgree_CDRAM5) {
  for (const char* const mode : {"replay", "eager"}) {
    const Outcome outcome =
        kernbench(std::string("run --bench gemm-single-pe --quiet --verify-data --data ") + mode + kBanks);
    EXPECT_EQ(outcome.code, 0) << mode << outcome.err;
  }
}

// The reliefs: banks that never wait, and a memory without limit.
TEST_F(DramTraceTest, WhyMeasuresWhatBanksCost) {
  ASSERT_EQ(kernbench(std::string("run --bench gemm-single-pe --quiet --out r") + kBanks).code, 0);
  const Outcome outcome = kernbench("why r");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("HBM without limit"));
  EXPECT_THAT(read("r/why/why.json"), HasSubstr("HBM whose banks never wait: no rows, refresh or turn-round"));
}

}  // namespace
}  // namespace kb::test
