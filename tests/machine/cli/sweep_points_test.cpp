// `kernbench sweep`: what the points of a sweep run on and observe.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "tests/machine/cli/command_line.h"
#include "tests/support/sqlite_rows.h"

namespace kb::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SweepPointsTest : public CommandLineTest {
 protected:
  // Additions of 256 and 512 elements on one PE.
  void sweep_file(const std::string& columns = "", const std::string& topology = "one_pe") const {
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
  const auto run = json("run --json --details --bench vector-add --topology one_pe --set elements_per_pe=256");
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

TEST_F(SweepPointsTest, AShippedMachineIsNamedWithoutItsFolder) {  // H-116
  sweep_file();
  ASSERT_EQ(sweep().code, 0);
  const std::string by_name = read("out/points.csv");
  sweep_file("", config("one_pe"));
  ASSERT_EQ(sweep().code, 0);
  EXPECT_EQ(read("out/points.csv"), by_name);
  sweep_file("", "one_pee");
  const Outcome wrong = sweep();
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("s.yaml:3:11: topology: there is no file 'one_pee' (did you mean 'one_pe'?"));
}

TEST_F(SweepPointsTest, AnAxisNamesShippedMachinesToo) {
  const std::string text =
      "sweep: s\nworkload: vector-add\ncolumns: {t: /sim_time_ns}\naxes: {m: {run: topology, values: ";
  write("s.yaml", text + "[one_pe, one_cube]}}\n");
  ASSERT_EQ(sweep().code, 0);
  EXPECT_EQ(rows("SELECT m FROM points ORDER BY point"), (SqlRows{{"one_pe"}, {"one_cube"}}));
  write("s.yaml", text + "[one_pe, one_cub]}}\n");
  EXPECT_THAT(sweep().err, HasSubstr("s.yaml:4:"));
  EXPECT_THAT(sweep().err, HasSubstr("there is no file 'one_cub' (did you mean 'one_cube'?"));
}

TEST_F(SweepPointsTest, AMachineOfTheUserUnderAShippedNameGoesFirst) {
  write("one_pe", read_config("one_cube"));
  write("s.yaml",
        "sweep: s\nworkload: vector-add\ncolumns: {t: /sim_time_ns}\n"
        "axes: {m: {run: topology, values: [one_cube, one_sip, one_pe]}}\n");
  ASSERT_EQ(sweep().code, 0);
  const SqlRows before = rows("SELECT t FROM points ORDER BY point");
  EXPECT_EQ(before[0], before[2]);
  fs::remove(folder() + "/one_pe");
  EXPECT_THAT(sweep().out, HasSubstr("1 were run")) << "the name stands for another file now";
  const SqlRows after = rows("SELECT t FROM points ORDER BY point");
  EXPECT_NE(after[2], before[2]);
  EXPECT_EQ(after[1], before[1]);
}

}  // namespace
}  // namespace kb::test
