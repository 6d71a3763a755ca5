// `kernbench sweep` with queries: columns, axes, raw traffic; what is told about wrong ones.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/machine/cli/command_line.h"
#include "tests/support/sqlite_rows.h"

namespace kb::test {
namespace {

using testing::HasSubstr;

class SweepSqlTest : public CommandLineTest {
 protected:
  Outcome sweep(const std::string& file, const std::string& options = "") const {
    write("s.yaml", file);
    return kernbench("sweep s.yaml --out out " + options);
  }
  SqlRows rows(const std::string& query) const { return sql_rows(folder() + "/out/points.sqlite", query); }
  void expect_refused(const std::string& file, const std::string& message) const {
    const Outcome outcome = sweep(file);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }

  const std::string gemm_ =
      "workload: matmul-composite\ntopology: " + config("one_pe") + "\nset: {m: 64, k: 256, n: 64}\n";
  const std::string traffic_ = "traffic: t.sql\ntopology: " + config("one_cube") + "\n";
};

constexpr char kReads[] =
    "SELECT pe AS id, 0 AS issue_ns, 'pe_read' AS op, format('sip0.cube0.pe%d', pe) AS src, "
    "hbm_address(0, 0, 0, pe * :bytes) AS dst, :bytes AS bytes FROM node WHERE kind = 'pe_dma'";

TEST_F(SweepSqlTest, ColumnsAskResultAndOperationLog) {
  const Outcome outcome = sweep(
      gemm_ +
      "axes: {m: {set: m, values: [32, 64]}}\n"
      "columns:\n"
      "  exec_ns: max /launches/*/pe_exec_ns/max\n"
      "  same_ns: SELECT max(json_extract(value, '$.pe_exec_ns.max')) FROM result, json_each(result.json, "
      "'$.launches')\n"
      "  products: \"SELECT count(*) FROM op JOIN operation ON operation.id = operation_id WHERE name = "
      "'TileToken/GEMM'\"\n"
      "  busy_ns: \"SELECT covered(t_start_fs, t_end_fs) / 1e6 FROM op JOIN component ON component.id = component_id "
      "WHERE component.name LIKE '%.pe_gemm'\"\n"
      "  share: busy_ns / exec_ns\n");
  ASSERT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  // Tiles of 32 x 64 x 32.
  EXPECT_EQ(rows("SELECT products, exec_ns = same_ns, share > 0 AND share < 1 FROM points"),
            (SqlRows{{"8", "1", "1"}, {"16", "1", "1"}}));
}

// What costs time to record is recorded when a column names it.
TEST_F(SweepSqlTest, AColumnOfTheMostExpensiveOperationsRecordsThem) {
  const Outcome outcome = sweep(gemm_ +
                                "axes: {m: {set: m, values: [32, 64]}}\n"
                                "columns: {name: /operations/0/name, time_ns: /operations/0/time_ns}\n");
  ASSERT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  EXPECT_EQ(rows("SELECT count(*) FROM points WHERE name <> '' AND time_ns > 0"), (SqlRows{{"2"}}));
}

TEST_F(SweepSqlTest, RawTrafficIsAQuery) {
  write("t.sql", kReads);
  const Outcome outcome =
      sweep(traffic_ +
            "axes: {bytes: {set: bytes, values: [256, 4096]}}\n"
            "columns: {last_ns: SELECT max(delivered_ns) FROM transfer, n: SELECT count(*) FROM transfer}\n");
  ASSERT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  write(
      "trace.csv", "id,issue_ns,op,src,dst,bytes\n" + [&] {
        std::string text;
        for (int pe = 0; pe < 8; ++pe) {
          text += std::to_string(pe) + ",0,pe_read,sip0.cube0.pe" + std::to_string(pe) + ",0x200000" +
                  std::to_string(pe) + "000,4096\n";
        }
        return text;
      }());
  const nlohmann::json replay = json("traffic --json --trace trace.csv --topology " + config("one_cube"));
  double last = 0;
  for (const nlohmann::json& row : replay["rows"]) last = std::max(last, row["delivered_ns"].get<double>());
  EXPECT_EQ(rows("SELECT n, last_ns FROM points WHERE bytes = 4096"),
            (SqlRows{{std::to_string(replay["rows"].size()), rows("SELECT " + nlohmann::json(last).dump())[0][0]}}));
}

TEST_F(SweepSqlTest, AxesComeFromTheMachine) {
  const std::string columns = "columns: {t: /sim_time_ns}\nworkload: noop\n";
  const Outcome outcome =
      sweep(columns + "topology: " + config("one_cube") +
            "\naxes: {pe: {set: cycles, sql: SELECT 10 + pe FROM node WHERE kind = 'pe_dma' AND pe < 3}}\n");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(rows("SELECT pe FROM points"), (SqlRows{{"10"}, {"11"}, {"12"}}));
  expect_refused(columns + "axes: {pe: {set: cycles, sql: SELECT pe FROM node WHERE sip = 99}}\n",
                 "the query of this axis gives no value on this machine");
}

TEST_F(SweepSqlTest, AStarVariesWhateverItsValuesName) {
  const Outcome outcome =
      sweep(gemm_ +
            "axes: {faster: {machine: \"*\", values: [\"\", cube.memory_map.hbm_channel_bw_gbs=64, "
            "cube.memory_map.hbm_channel_bw_gbs=64 cube.links.router_overhead_ns=0]}}\ncolumns: {t: /sim_time_ns}\n");
  ASSERT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  EXPECT_EQ(
      rows("SELECT a.t > b.t AND b.t > c.t FROM points a, points b, points c WHERE a.point = 0 AND b.point = 1 AND "
           "c.point = 2"),
      (SqlRows{{"1"}}));
  expect_refused(gemm_ + "axes: {a: {set: \"*\", values: [m=32, k]}}\ncolumns: {t: /sim_time_ns}\n",
                 "'k' is not NAME=VALUE");
}

TEST_F(SweepSqlTest, WrongQueriesEndTheSweepWithTheFirstAnswer) {
  const std::string axes = "axes: {m: {set: m, values: [32, 64]}}\n";
  expect_refused(gemm_ + axes + "columns: {t: SELECT json FROM resul}\n", "no such table: resul");
  expect_refused(gemm_ + axes + "columns: {t: SELECT 1 UNION SELECT 2}\n", "1 columns and 2 rows");
  write("p.sql", "CREATE TABLE t AS SELECT 1 AS one; ATTACH 'x' AS y");
  expect_refused(gemm_ + "sql: p.sql\n" + axes + "columns: {t: SELECT one FROM t}\n", "not authorized");
  write("t.sql", "SELECT 1 AS id");
  expect_refused(traffic_ + "axes: {bytes: {set: bytes, values: [1, 2]}}\ncolumns: {t: SELECT 1}\n",
                 "the columns id, issue_ns, op, src, dst, bytes");
  expect_refused("traffic: none.sql\naxes: {a: {set: a, values: [1, 2]}}\ncolumns: {t: SELECT 1}\n", "none.sql");
  expect_refused("workload: noop\ntraffic: t.sql\naxes: {a: {set: a, values: [1, 2]}}\ncolumns: {t: SELECT 1}\n",
                 "leave one of workload and traffic out");
}

TEST_F(SweepSqlTest, ARefusedTransferFailsItsPoint) {
  std::string rows = kReads;
  write("t.sql", rows.replace(rows.find("'pe_read'"), 9, ":op"));
  const Outcome outcome = sweep(traffic_ + "set: {bytes: 64}\naxes: {op: {set: op, values: [pe_read, pe_raed]}}\n" +
                                "columns: {t: SELECT max(delivered_ns) FROM transfer}\n");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(read("out/points.csv"), HasSubstr("'pe_raed' is not an operation (did you mean 'pe_read'?)"));
}

}  // namespace
}  // namespace kb::test
