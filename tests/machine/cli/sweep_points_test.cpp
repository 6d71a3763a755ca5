// `kernbench sweep`: what the points of a sweep run on and observe.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/machine/cli/command_line.h"
#include "tests/support/sqlite_rows.h"

namespace kb::test {
namespace {

class SweepPointsTest : public CommandLineTest {
 protected:
  // Additions of 256 and 512 elements on one PE.
  void sweep_file(const std::string& columns, const std::string& topology) const {
    write("s.yaml", "sweep: s\nworkload: vector-add\ntopology: " + topology +
                        "\ncolumns: {time_ns: max /launches/*/pe_exec_ns/max" + columns +
                        "}\naxes: {n: {set: elements_per_pe, values: [256, 512]}}\n");
  }
  Outcome sweep() const { return kernbench("sweep s.yaml --out out"); }
  SqlRows rows(const std::string& query) const { return sql_rows(folder() + "/out/points.sqlite", query); }
};

TEST_F(SweepPointsTest, BlocksOfLaunchesNeedNoOtherColumn) {
  sweep_file(", busy: max /launches/*/blocks/*/*/busy_ns", config("one_pe"));
  const Outcome outcome = sweep();
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto run = json("run --json --bench vector-add --topology one_pe --set elements_per_pe=256");
  double most = 0;
  for (const auto& block : run["launches"][0]["blocks"]) {
    for (const auto& resource : block) most = std::max(most, resource["busy_ns"].get<double>());
  }
  ASSERT_GT(most, 0.0);
  EXPECT_EQ(std::stod(rows("SELECT busy FROM points WHERE point = 0").at(0).at(0)), most);
}

TEST_F(SweepPointsTest, QueriesSeeBlocksOfLaunchesToo) {
  sweep_file(
      ", busy: \"SELECT max(block.value) FROM result, json_tree(result.json, '$.launches[0].blocks') AS block WHERE "
      "block.key "
      "= "
      "'busy_ns'\"",
      config("one_pe"));
  ASSERT_EQ(sweep().code, 0);
  EXPECT_EQ(rows("SELECT count(*) FROM points WHERE busy > 0"), (SqlRows{{"2"}}));
}

}  // namespace
}  // namespace kb::test
