// `kernbench sweep` with objectives, and with runs that are kept.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/machine/cli/command_line.h"
#include "tests/support/sqlite_rows.h"

namespace kb::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// More bandwidth costs more; a larger tensor takes longer.
const char kAxes[] =
    "{n: {set: elements_per_pe, values: [256, 512]}, "
    "gbs: {machine: cube.memory_map.hbm_channel_bw_gbs, values: [16, 32, 64]}}";
const char kObjectives[] = "objectives: [{column: gbs, goal: min}, {column: time_ns, goal: min}]\n";

class SweepObjectivesTest : public CommandLineTest {
 protected:
  void sweep_file(const std::string& more, const std::string& columns = "", const std::string& axes = kAxes) const {
    write("s.yaml",
          "sweep: s\nworkload: vector-add\ntopology: one_pe\ncolumns: {time_ns: max /launches/*/pe_exec_ns/max" +
              columns + "}\naxes: " + axes + "\n" + more);
  }
  Outcome sweep(const std::string& options = "") const { return kernbench("sweep s.yaml --out out " + options); }
  SqlRows rows(const std::string& query) const { return sql_rows(folder() + "/out/points.sqlite", query); }
};

// H-115
TEST_F(SweepObjectivesTest, TheFrontIsInEveryFileAndPrinted) {
  sweep_file(kObjectives);
  EXPECT_EQ(sweep("--dry-run").out, "6 points, of which 0 are done\nobjectives: min gbs, min time_ns\n");
  const Outcome outcome = sweep("--plot");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Pareto front of min gbs, min time_ns: 3 of 6 points\n  point  gbs  time_ns    n\n"
                                     "      0   16"));
  EXPECT_EQ(rows("SELECT point FROM points WHERE pareto ORDER BY point"), (SqlRows{{"0"}, {"1"}, {"2"}}))
      << "the smaller tensor is faster with every bandwidth";
  EXPECT_EQ(rows("SELECT count(*) FROM points WHERE pareto = 0"), (SqlRows{{"3"}}));
  EXPECT_THAT(read("out/pareto.csv"), HasSubstr("point,n,gbs,time_ns,status,cause,pareto\n0,256,16,"));
  const auto json = nlohmann::json::parse(read("out/sweep.json"));
  EXPECT_EQ(json["pareto"]["points"], (nlohmann::json{0, 1, 2}));
  EXPECT_EQ(json["topology"], "one_pe");
  for (const auto& plot : json["plots"]) {
    EXPECT_TRUE(fs::exists(folder() + "/out/plots/" + plot["name"].get<std::string>() + ".svg")) << plot;
  }
  EXPECT_EQ(json["plots"].size(), 2u);
}

TEST_F(SweepObjectivesTest, APartOfTheTableHasAFrontOfItsOwn) {
  sweep_file("");
  ASSERT_EQ(sweep().code, 0);
  sweep_file(kObjectives, "",
             "{n: {set: elements_per_pe, values: [128, 256, 512]}, "
             "gbs: {machine: cube.memory_map.hbm_channel_bw_gbs, values: [16, 32, 64]}}");
  EXPECT_EQ(sweep("--dry-run").out, "9 points, of which 6 are done\nobjectives: min gbs, min time_ns\n");
  const Outcome outcome = sweep("--collect");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("3 of 6 points\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  not compared: 3 missing\n"));
  EXPECT_THAT(sweep().out, Not(HasSubstr("not compared")));
}

TEST_F(SweepObjectivesTest, FailedPointsAreNoPartOfTheFront) {
  sweep_file(kObjectives, "",
             std::string(kAxes, sizeof(kAxes) - 2) + ", dev: {run: device, values: [all, 'sip:0', 'sip:7']}}");
  const Outcome outcome = sweep();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("6 of 12 points\n")) << "both ways to name the one SIP are equal";
  EXPECT_THAT(outcome.out, HasSubstr("  not compared: 6 failed\n"));
}

TEST_F(SweepObjectivesTest, WhatHasNoOrderIsNoObjective) {
  sweep_file("objectives: [{column: dev, goal: min}, {column: time_ns, goal: min}]\n", "",
             std::string(kAxes, sizeof(kAxes) - 2) + ", dev: {run: device, values: [all, 'sip:0']}}");
  const Outcome axis = sweep("--dry-run");
  EXPECT_EQ(axis.code, 2);
  EXPECT_THAT(axis.err,
              HasSubstr("s.yaml:6:23: objectives[0].column: the axis 'dev' has the value 'all', which is not a "
                        "number (name an axis or a column of numbers)"));
  sweep_file("objectives: [{column: kernel, goal: min}, {column: time_ns, goal: min}]\n",
             ", kernel: /launches/0/kernel");
  const Outcome column = sweep();
  EXPECT_EQ(column.code, 2);
  EXPECT_THAT(column.err,
              HasSubstr("s.yaml:6:23: objectives[0].column: the objective 'kernel' is not a number: a point has "
                        "\"vector_add\" (name a column of numbers)"));
  EXPECT_FALSE(fs::exists(folder() + "/out/points.csv"));
  EXPECT_EQ(sweep().code, 2) << "what is known already is looked at, too";
}

TEST_F(SweepObjectivesTest, AHeatMapWhosePointsShareCellsIsRefusedBeforeTheRun) {
  sweep_file("plots: [{heat: time_ns, x: n, y: gbs}]\n", "",
             std::string(kAxes, sizeof(kAxes) - 2) + ", seed: {run: seed, values: [1, 2]}}");
  const Outcome outcome = sweep("--dry-run");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the axis 'seed' varies, too, so that points of plot 'heat_time_ns' share cells"));
  EXPECT_THAT(outcome.err, HasSubstr("where: {seed: ...}"));
}

// H-116
TEST_F(SweepObjectivesTest, RunsAreKeptAsRecordsOnRequest) {
  sweep_file("keep: runs\n");
  ASSERT_EQ(sweep().code, 0);
  const SqlRows kept = rows("SELECT run_folder FROM points WHERE point = 4");
  ASSERT_EQ(kept.size(), 1u);
  const std::string run = "out/" + kept[0][0];
  EXPECT_THAT(run, HasSubstr("out/runs/"));
  const auto result = nlohmann::json::parse(read(run + "/result.json"));
  EXPECT_EQ(result["bench"]["params"]["elements_per_pe"]["value"], 512);
  EXPECT_EQ(result["launches"][0]["pe_exec_ns"]["max"].dump(),
            rows("SELECT time_ns FROM points WHERE point = 4")[0][0]);
  EXPECT_EQ(kernbench("report " + run + " --out r.html").code, 0) << "it is a whole record";
  const std::string by_hand =
      "run --quiet --bench vector-add --topology one_pe --set elements_per_pe=512 "
      "--set cube.memory_map.hbm_channel_bw_gbs=32 --record run";
  ASSERT_EQ(kernbench(by_hand).code, 0);
  EXPECT_EQ(read(run + "/topology.json"), read("run/topology.json"));
}

}  // namespace
}  // namespace kb::test
