// The evaluations pe-dma and pe2pe on machines other than the reference machine (chapter 09).
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/machine/cli/command_line.h"
#include "tests/support/sqlite_rows.h"

namespace kb::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class EvaluateTransfersTest : public CommandLineTest {
 protected:
  SqlRows rows(const std::string& database, const std::string& query) const {
    return sql_rows(folder() + "/out/" + database, query);
  }
  bool is_drawn(const std::string& figure) const { return fs::exists(folder() + "/out/" + figure + ".png"); }
};

TEST_F(EvaluateTransfersTest, AMachineHasTheScenariosThatItIsLargeEnoughFor_E49_E58) {
  ASSERT_EQ(kernbench("evaluate pe-dma --out out --topology '" + config("one_cube") + "'").code, 0);
  EXPECT_THAT(rows("pe-dma.sqlite", "SELECT scenario, issuers FROM pe_dma WHERE direction = 'read'"),
              ElementsAre(ElementsAre("SAME_CUBE_PE_LOCAL", "1"), ElementsAre("SAME_CUBE_PE_REMOTE_BEST", "1"),
                          ElementsAre("SAME_CUBE_PE_REMOTE_WORST", "1"), ElementsAre("ctrl_hot_1", "1"),
                          ElementsAre("ctrl_hot_2", "2"), ElementsAre("ctrl_hot_3", "3"),
                          ElementsAre("all_pe_cube0_to_pe0", "8")));
  EXPECT_TRUE(is_drawn("pe_dma_read_congestion"));
  ASSERT_EQ(kernbench("evaluate pe-dma --out out --topology '" + config("one_pe") + "'").code, 0);
  EXPECT_TRUE(is_drawn("pe_dma_read_no_congestion"));
  EXPECT_FALSE(is_drawn("pe_dma_read_congestion"));
}

TEST_F(EvaluateTransfersTest, PartsExplainAllOfATransferAlone_E57) {
  const Outcome outcome = kernbench("evaluate pe-dma --out out --set cube.components.hbm_ctrl.attrs.overhead_ns=20");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(rows("pe-dma.sqlite", "SELECT count(*), max(abs(contention_ns)) <= 1e-6 FROM pe_dma WHERE issuers = 1"),
              ElementsAre(ElementsAre("14", "1")));
}

TEST_F(EvaluateTransfersTest, ChecksHoldWhereAHashSpreadsTheBursts_E59) {
  const Outcome outcome = kernbench("evaluate pe-dma --out out --topology '" + config("hbm3") + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(EvaluateTransfersTest, AMachineHasTheHopsThatItHasPesFor_E47_E62_E64_E66) {
  write("ccl.yaml", "defaults: { buffer_kind: no such memory }\n");  // of the working directory: not for evaluations
  write("machine.yaml",
        "system: { sips: { count: 2 } }\nsip: { cube_mesh: { w: 1, h: 2 } }\n"
        "cube: { pe_layout: { corners: [NW, NE, SW], pe_per_corner: 1 } }\n");
  const Outcome outcome = kernbench("evaluate pe2pe --out out --topology machine.yaml");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(rows("pe2pe.sqlite", "SELECT id, \"to\" FROM hop"),
              ElementsAre(ElementsAre("h1", "sip0.cube0.pe1"), ElementsAre("h2", "sip0.cube0.pe2"),
                          ElementsAre("h4", "sip0.cube1.pe0"), ElementsAre("h5", "sip1.cube0.pe0")));
  EXPECT_THAT(rows("pe2pe.sqlite", "SELECT \"set\", count(*), count(DISTINCT hop) FROM pe2pe GROUP BY 1"),
              ElementsAre(ElementsAre("hops", "72", "4"), ElementsAre("rings", "30", "1")));
  for (const char* figure : {"pe2pe_h1", "pe2pe_h4", "pe2pe_overview", "pe2pe_buffer_kinds"}) {
    EXPECT_TRUE(is_drawn(figure)) << figure;
  }
  EXPECT_FALSE(is_drawn("pe2pe_h3"));

  const Outcome none = kernbench("evaluate pe2pe --out out --topology '" + config("one_pe") + "'");
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("check E-62 failed: the evaluation needs two PEs"));
  EXPECT_FALSE(is_drawn("pe2pe_overview"));
}

}  // namespace
}  // namespace kb::test
