// `kernbench run --oplog FILE.sqlite`: what a user asks of the database (P-67, P-74).
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "tests/machine/cli/command_line.h"
#include "tests/support/sqlite_rows.h"

namespace kb::test {
namespace {

class OplogDatabaseTest : public CommandLineTest {
 protected:
  Outcome run(const std::string& options, const std::string& prefix = "") const {
    return kernbench("run --quiet --topology '" + config("one_cube") + "' --bench gemm-multi-pe --out out " + options,
                     prefix);
  }
  SqlRows query(const std::string& sql) const { return sql_rows(folder() + "/ops.sqlite", sql); }
};

TEST_F(OplogDatabaseTest, HoldsTheRowsOfTheText) {
  ASSERT_EQ(run("--oplog ops.tsv").code, 0);
  ASSERT_EQ(run("--oplog ops.sqlite").code, 0);
  std::string text;
  for (const std::vector<std::string>& row : query(
           "SELECT seq, id, printf('%.6f', t_start_ns), printf('%.6f', t_end_ns), component, op_kind, op_name, params "
           "FROM ops ORDER BY seq")) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string cell = row[i];
      if (i == 2 || i == 3) {
        cell.erase(cell.find_last_not_of('0') + 1);
        if (cell.back() == '.') cell.pop_back();
      }
      text += cell + (i + 1 < row.size() ? "\t" : "\n");
    }
  }
  const std::string log = read("ops.tsv");
  EXPECT_EQ(text, log.substr(log.find('\n') + 1));
}

TEST_F(OplogDatabaseTest, AgreesWithTheResultFile) {
  ASSERT_EQ(run("--oplog ops.sqlite").code, 0);
  const nlohmann::json result = nlohmann::json::parse(read("out/result.json"));
  const double products = result["block_kinds"]["pe_gemm"]["statistics"]["busy"]["sum"];
  EXPECT_GT(products, 0);
  EXPECT_EQ(query("SELECT sum(t_end_fs - t_start_fs) FROM op JOIN operation ON operation.id = operation_id WHERE kind "
                  "= 'gemm'"),
            (SqlRows{{std::to_string(std::llround(products * 1e6))}}));
  EXPECT_EQ(query("SELECT value FROM meta WHERE key IN ('bench', 'seed', 'topology_sha256') ORDER BY key"),
            (SqlRows{{"gemm-multi-pe"}, {"1"}, {result["topology"]["sha256"].get<std::string>()}}));
  EXPECT_EQ(query("SELECT value FROM meta WHERE key = 'topology.system.sips.count'"), (SqlRows{{"1"}}));
}

TEST_F(OplogDatabaseTest, RepeatsAreEqualBytes) {
  ASSERT_EQ(run("--oplog a.sqlite").code, 0);
  ASSERT_EQ(run("--oplog b.sqlite --data replay", "MALLOC_PERTURB_=85 MALLOC_TOP_PAD_=1234567").code, 0);
  EXPECT_GT(read("a.sqlite").size(), 10000u);
  EXPECT_EQ(read("a.sqlite"), read("b.sqlite"));
}

TEST_F(OplogDatabaseTest, AFailedRunKeepsWhatHappened) {
  ASSERT_EQ(run("--oplog ops.sqlite --time-limit-ns 2000").code, 4);
  EXPECT_THAT(files(), testing::ElementsAre("ops.sqlite", "out", "out/inputs.json", "out/result.json"));
  EXPECT_NE(query("SELECT count(*) FROM ops")[0][0], "0");
}

TEST_F(OplogDatabaseTest, FailuresLeaveNoFile) {
  EXPECT_EQ(run("--oplog missing/ops.db").code, 2);
  EXPECT_EQ(run("--oplog ops.sqlite", "ulimit -f 1;").code, 2);
  EXPECT_THAT(files(), testing::ElementsAre("out"));
  std::filesystem::create_symlink("/dev/full", folder() + "/ops.sqlite");
  const Outcome device = run("--oplog ops.sqlite");
  EXPECT_EQ(device.code, 2);
  EXPECT_THAT(device.err, testing::HasSubstr("has to be a regular file"));
}

TEST_F(OplogDatabaseTest, AnInterruptLeavesNoFile) {
  const Outcome outcome = kernbench(
      "run --topology '" + config("one_pe") + "' --bench stream --set calls=100000000 --out out --oplog ops.sqlite",
      "timeout --preserve-status -s INT 1");
  EXPECT_EQ(outcome.code, 130);
  EXPECT_THAT(files(), testing::ElementsAre("out"));
}

}  // namespace
}  // namespace kb::test
