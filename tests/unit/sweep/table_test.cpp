#include "sim/study/sweep/table.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "sim/study/sweep/sweep_file.h"
#include "tests/support/sqlite_rows.h"

namespace kb::sweep {
namespace {

SweepSpec spec() {
  return parse_sweep(
      "sweep: t\nworkload: copy\n"
      "axes: {mode: {set: mode, values: [fast, 'a,b']}, m: {set: m, values: [4, 2.5]}}\n"
      "columns: {time: /sim_time_ns, rate: m / time, what: /bench/name}\n",
      "t.yaml", ".");
}

Table table(const SweepSpec& spec, const Answer& failure) {
  const Space space(spec);
  const Answer fast{true, "", "", {8, "copy"}}, none{true, "", "", {0, nullptr}};
  return make_table(spec, space, {&fast, &none, &failure, nullptr});
}

const Answer kFailure{false, "DEADLOCK", "nobody\nmoves, \"ever\"", {}};

TEST(Table, HasARowForEveryPointInTheirOrder) {
  const SweepSpec sweep = spec();
  EXPECT_EQ(render_csv(table(sweep, kFailure)),
            "point,mode,m,time,rate,what,status,cause\n"
            "0,fast,4,8,0.5,copy,ok,\n"
            "1,fast,2.5,0,,,ok,\n"
            "2,\"a,b\",4,,,,failed,\"DEADLOCK: nobody\\nmoves, \"\"ever\"\"\"\n"
            "3,\"a,b\",2.5,,,,missing,\n");
}

TEST(Table, IsADatabaseToo) {
  SweepSpec sweep = spec();
  sweep.seed = 7;
  sweep.plugins = {"one.so"};
  const std::string file = testing::TempDir() + "kb_table_" + std::to_string(::getpid()) + ".sqlite";
  {
    observe::OutputFile out(file, "a table", observe::OutputFile::Target::regular_file);
    write_database(table(sweep, kFailure), sweep, out);
    out.commit();
  }
  const test::SqlRows rows =
      test::sql_rows(file, "SELECT point, m, typeof(m), rate, status FROM points WHERE time >= 0");
  EXPECT_EQ(rows, (test::SqlRows{{"0", "4", "integer", "0.5", "ok"}, {"1", "2.5", "real", "NULL", "ok"}}));
  EXPECT_EQ(test::sql_rows(file, "SELECT value FROM meta WHERE key = 'column.rate'"), (test::SqlRows{{"m / time"}}));
  EXPECT_EQ(test::sql_rows(file, "SELECT value FROM meta WHERE key IN ('seed', 'device', 'plugin.0') ORDER BY key"),
            (test::SqlRows{{"one.so"}, {"7"}}))
      << "options that are not the defaults";
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace kb::sweep
