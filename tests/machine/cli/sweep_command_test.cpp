// `kernbench sweep`: tables, interruptions, wrong input.
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "tests/machine/cli/command_line.h"
#include "tests/support/sqlite_rows.h"

namespace kb::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class SweepCommandTest : public CommandLineTest {
 protected:
  // A file "s.yaml" with the axes and what else is given, over additions on the smallest machine.
  void sweep_file(const std::string& axes, const std::string& more = "") const {
    write("s.yaml", "sweep: s\nworkload: vector-add\ntopology: " + config("one_pe") +
                        "\ncolumns: {time_ns: max /launches/*/pe_exec_ns/max}\naxes: {" + axes + "}\n" + more);
  }
  Outcome sweep(const std::string& options = "", const std::string& prefix = "") const {
    return kernbench("sweep s.yaml --out out " + options, prefix);
  }
  std::string table() const { return read("out/points.csv"); }
  void expect_refused(const std::string& message) const {
    const Outcome outcome = sweep();
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_FALSE(fs::exists(folder() + "/out/points.csv"));
  }
  std::size_t journals() const {
    std::size_t count = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder() + "/out/journal", ignored)) {
      count += entry.is_regular_file() ? 1 : 0;
    }
    return count;
  }
};

const char kBytes[] = "n: {set: elements_per_pe, values: [256, 512, 1024]}";
const char kHbm[] = "hbm_gbs: {machine: cube.memory_map.hbm_channel_bw_gbs, values: [16, 32]}";

TEST_F(SweepCommandTest, OneRowPerPointAsTheRunByItself) {
  sweep_file(std::string(kBytes) + ", " + kHbm);
  const Outcome outcome = sweep();
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("s: 6 points, 6 ok, 0 failed; 6 were run"));
  const std::string text = table();
  EXPECT_THAT(text, HasSubstr("point,n,hbm_gbs,time_ns,status,cause\n0,256,16,"));
  const nlohmann::json run = json("run --json --bench vector-add --topology " + config("one_pe") +
                                  " --set elements_per_pe=1024 --set cube.memory_map.hbm_channel_bw_gbs=32");
  EXPECT_THAT(text, HasSubstr("5,1024,32," + run["launches"][0]["pe_exec_ns"]["max"].dump() + ",ok,"));
  EXPECT_EQ(sql_rows(folder() + "/out/points.sqlite", "SELECT count(*), sum(n) FROM points WHERE status = 'ok'"),
            (SqlRows{{"6", "3584"}}));
}

TEST_F(SweepCommandTest, WhatIsDoneIsNotRunAgain) {
  sweep_file(kBytes);
  ASSERT_EQ(sweep().code, 0);
  const std::string first = table();
  EXPECT_THAT(sweep().out, HasSubstr("0 were run"));
  EXPECT_EQ(table(), first);
  sweep_file("n: {set: elements_per_pe, values: [256, 512, 1024, 2048]}");
  EXPECT_THAT(sweep().out, HasSubstr("1 were run"));
  sweep_file(kBytes, "set: {op: add}\n");
  EXPECT_EQ(sweep().code, 2) << "another configuration is another sweep";
}

// H-114
TEST_F(SweepCommandTest, KilledTenTimesItGivesTheSameTable) {
  sweep_file("n: {set: elements_per_pe, range: {from: 256, to: 51200, step: 256}}");
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(sweep().code, 0);
  const double whole_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::string expected = table();
  fs::rename(folder() + "/out", folder() + "/whole");
  const int step = cases(1, 3);
  for (int i = 0; i < 10; i += step) {
    sweep("--quiet", "timeout -s KILL " + std::to_string(whole_s * (0.15 + 0.07 * i)));
    EXPECT_TRUE(!fs::exists(folder() + "/out/points.csv") || table() == expected);
  }
  const Outcome outcome = sweep();
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(table(), expected);
  EXPECT_GT(journals(), 1u) << "no kill has left anything";
}

// What all points have is wrong in the line that says it, and not in that of an axis.
TEST_F(SweepCommandTest, ProblemsOfWhatAllPointsHaveStandThere) {
  sweep_file(kBytes, "set: {blocks: 3}\n");
  expect_refused("s.yaml:6:15: set.blocks: workload 'vector-add' has no such parameter");
  write("s.yaml", std::string("workload: copi\ntopology: ") + config("one_pe") +
                      "\ncolumns: {time_ns: /sim_time_ns}\naxes: {" + kHbm + "}\n");
  expect_refused("s.yaml:1:11: workload: unknown workload 'copi' (did you mean 'copy'?)");
  sweep_file("n: {set: elements_per_pe, values: 256}");
  expect_refused("found '256' (write for example [128, 256, 512])");
}

TEST_F(SweepCommandTest, AColumnThatNoResultHasIsToldWhatHelps) {
  const auto refused = [&](const std::string& column) {
    write("s.yaml", "sweep: s\nworkload: vector-add\ntopology: " + config("one_pe") + "\ncolumns: {c: \"" + column +
                        "\"}\naxes: {" + kHbm + "}\n");
    return sweep().err;
  };
  EXPECT_THAT(refused("/energy/fj"),
              HasSubstr("(results have energies with machine: {energy.defaults: hbm2_7nm}; where"));
  EXPECT_THAT(refused("SELECT nothing FROM node"), HasSubstr("(correct the query; where"));
  EXPECT_THAT(refused("/sim_time"), HasSubstr("(correct the pointer; where"));
}

TEST_F(SweepCommandTest, AFailureIsPrintedAsOneLine) {
  sweep_file(kBytes, "time_limit_ns: 1\n");
  const Outcome outcome = sweep();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out,
              HasSubstr("the first failure is point 0: TIME_LIMIT: the time limit was reached at 1 ns with "
                        "work outstanding\n"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("who waits")));
}

TEST_F(SweepCommandTest, TheTableOfAPartCanBeHad) {
  sweep_file(kBytes);
  ASSERT_EQ(sweep().code, 0);
  sweep_file("n: {set: elements_per_pe, values: [256, 512, 1024, 2048]}");
  const Outcome outcome = sweep("--collect");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("1 points are missing (logs of tasks are in "));
  EXPECT_THAT(table(), HasSubstr("3,2048,,missing,"));
}

TEST_F(SweepCommandTest, AFailedPointIsARowWithItsCause) {
  sweep_file(std::string(kBytes) + ", dev: {run: device, values: [all, 'sip:0', 'sip:7']}");
  const Outcome outcome = sweep();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("6 ok, 3 failed"));
  EXPECT_THAT(outcome.out, HasSubstr("the first failure is point 2: CONFIGURATION_ERROR: --device sip:7"));
  EXPECT_THAT(table(), HasSubstr("2,256,sip:7,,failed,CONFIGURATION_ERROR: "));
}

TEST_F(SweepCommandTest, APluginThatCrashesOrHangsHarmsNoOtherPoint) {
  write("s.yaml", std::string("sweep: s\nplugin: " KB_FAULTY_PLUGIN "\nworkload: faulty\ntopology: ") +
                      config("one_pe") +
                      "\ncolumns: {time_ns: /sim_time_ns}\naxes: {fault: {set: mistake, values: [abort, busy-workload, "
                      "odd-throw]}}\n"
                      "limits: {time: 2 s, retries: 0}\n");
  const Outcome outcome = sweep();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("0 ok, 3 failed"));
  EXPECT_THAT(table(), HasSubstr("0,abort,,failed,\"NO_ANSWER: the process ended with code 3: "));
  EXPECT_THAT(table(),
              HasSubstr("1,busy-workload,,failed,TIME_LIMIT_OF_POINT: took longer than the 2 s of limits.time"));
  EXPECT_THAT(table(), HasSubstr("2,odd-throw,,failed,"));
}

TEST_F(SweepCommandTest, UnknownKeysAndOverridesAreToldAtTheirPlace) {
  sweep_file(kBytes, "colums: {}\n");
  expect_refused("s.yaml:6:1: colums: unknown key 'colums' (did you mean 'columns'?)");
  sweep_file("n: {set: element_per_pe, values: [1, 2]}");
  expect_refused("did you mean 'elements_per_pe'?");
  expect_refused("s.yaml:5:");
  sweep_file("n: {machine: cube.memory_map.hbm_channel_bw_gb, values: [1, 2]}");
  expect_refused("did you mean 'hbm_channel_bw_gbs'?");
  expect_refused("s.yaml:5:");
  sweep_file(kBytes, "machine: {cube.nothing: 1}\n");
  expect_refused("s.yaml:6:25: ");
  sweep_file("n: {set: elements_per_pe, values: [256, -1]}");
  expect_refused("s.yaml:5:");
  sweep_file("w: {run: workload, values: [copy, copi]}");
  expect_refused("did you mean 'copy'?");
}

TEST_F(SweepCommandTest, AnUnknownWorkloadIsToldOnceAtItsKey) {
  write("s.yaml",
        "workload: copi\naxes: {n: {set: bytes, values: [1, 2]}, m: {set: bites, values: [1, 2]}}\n"
        "columns: {t: /sim_time_ns}\n");
  expect_refused("s.yaml:1:11: workload: unknown workload 'copi' (did you mean 'copy'?)\nkernbench sweep: 1 problem");
  write("s.yaml", "host_limit: 1\n");
  expect_refused(", plugin, plugins, device");
}

TEST_F(SweepCommandTest, AMissingPluginIsToldAtItsKey) {
  sweep_file(kBytes, "plugins: [./nothing.so]\n");
  expect_refused("s.yaml:6:1: plugins: the plug-in './nothing.so' cannot be loaded: No such file or directory");
  sweep_file(kBytes, "plugin: s.yaml\n");
  expect_refused("s.yaml:6:9: plugin: s.yaml: the plug-in cannot be loaded: ");
}

TEST_F(SweepCommandTest, AnAxisThatChangesNothingIsRefused) {
  sweep_file("n: {set: elements_per_pe, values: [256, 256, 256]}");
  expect_refused("this axis changes nothing: all of its 3 values give one configuration");
  sweep_file("n: {machine: cube.memory_map.hbm_channel_bw_gbs, values: [32, 32.0]}");
  expect_refused("this axis changes nothing");
}

TEST_F(SweepCommandTest, TooManyPointsAreRefusedWithTheirCount) {
  sweep_file(
      "a: {set: elements_per_pe, range: {from: 1, to: 100000, step: 1}}, "
      "b: {machine: cube.memory_map.hbm_channel_bw_gbs, range: {from: 1, to: 10000, step: 1}}");
  expect_refused("1000000000 points (100000 a x 10000 b) are more than the limit of 100000");
}

TEST_F(SweepCommandTest, AColumnThatNoResultHasIsToldWithTheFirstAnswer) {
  write("s.yaml", "sweep: s\nworkload: vector-add\ntopology: " + config("one_pe") +
                      "\ncolumns: {t: /sim_time}\naxes: {" + kBytes + "}\n");
  expect_refused(
      "s.yaml:4:14: columns.t: no result has this column: the result has no 'sim_time'; did you mean 'sim_time_ns'?");
  write("s.yaml", "sweep: s\nworkload: vector-add\ntopology: " + config("one_pe") +
                      "\ncolumns: {t: {of: /sim_time, optional: true}}\naxes: {" + kBytes + "}\n");
  EXPECT_EQ(sweep().code, 0);
  EXPECT_THAT(table(), HasSubstr("0,256,,ok,"));
}

TEST_F(SweepCommandTest, TwoSweepsInOneFolderAreKeptApart) {
  sweep_file("n: {set: elements_per_pe, range: {from: 256, to: 512000, step: 256}}");
  const Outcome outcome = kernbench("sweep s.yaml --out out", "mkdir out; exec 9<out; flock 9; ");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("another sweep is writing to"));
}

TEST_F(SweepCommandTest, AFullDiskLosesNothing) {
  sweep_file("n: {set: elements_per_pe, range: {from: 256, to: 25600, step: 256}}");
  const Outcome outcome = sweep("--quiet", "ulimit -f 4;");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("finished points are kept"));
  EXPECT_FALSE(fs::exists(folder() + "/out/points.csv"));
  const Outcome again = sweep();
  EXPECT_EQ(again.code, 0);
  EXPECT_THAT(again.out, HasSubstr("100 ok"));
  EXPECT_THAT(again.out, Not(HasSubstr("100 were run")));
}

TEST_F(SweepCommandTest, PlotsAndWholeResultsOnRequest) {
  sweep_file(std::string(kBytes) + ", " + kHbm, "plots: [{x: n, y: time_ns, series: hbm_gbs}]\nkeep: results\n");
  ASSERT_EQ(sweep("--plot").code, 0);
  EXPECT_TRUE(fs::exists(folder() + "/out/plots/time_ns_over_n_by_hbm_gbs.svg"));
  const SqlRows rows = sql_rows(folder() + "/out/points.sqlite", "SELECT result FROM points WHERE point = 3");
  EXPECT_EQ(nlohmann::json::parse(read("out/" + rows[0][0]))["bench"]["params"]["elements_per_pe"]["value"], 512);
  sweep_file(kBytes);
  EXPECT_THAT(sweep("--plot").err, HasSubstr("the file names no plots"));
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

// The example of the guide: three axes over a plug-in's kernel; killed, resumed, drawn.
TEST_F(SweepCommandTest, TheExampleSweepsAPluginOverLinksMemoryAndTiles) {
  KB_SKIP_UNDER_SANITIZERS();
  std::ifstream example(KB_SOURCE_DIR "/examples/sweep/swap_add.yaml");
  std::string text((std::istreambuf_iterator<char>(example)), {});
  text = replaced(text, "build/libswap_add.so", KB_SWAP_ADD_PLUGIN);
  write("s.yaml", text);
  EXPECT_EQ(sweep("--quiet", signalled_when("KILL", "out/journal/*.journal")).code, 128 + 9);
  EXPECT_THAT(sweep("--dry-run").out, Not(HasSubstr("of which 80 are done")));
  const Outcome outcome = sweep("--plot");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("swap-add: 80 points, 80 ok, 0 failed"));
  EXPECT_TRUE(fs::exists(folder() + "/out/plots/gbs_over_hbm_gbs_by_tile.png"));
  const std::string database = folder() + "/out/points.sqlite";
  for (const std::string axis : {"ucie_gbs", "hbm_gbs", "tile"}) {
    const SqlRows rows = sql_rows(database, "SELECT min(time_ns) FROM points GROUP BY " + axis + " ORDER BY " + axis);
    ASSERT_GT(rows.size(), 1u);
    EXPECT_GT(std::stod(rows.front()[0]), std::stod(rows.back()[0])) << "more of " << axis << " is faster";
  }
}

TEST_F(SweepCommandTest, APlotOfAValueThatNoAxisHasIsRefusedBeforeTheRun) {
  sweep_file(std::string(kBytes) + ", " + kHbm, "plots: [{x: n, y: time_ns, where: {hbm_gbs: 33}}]\n");
  const Outcome outcome = sweep();
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("plots[0].where.hbm_gbs: the axis 'hbm_gbs' has no value '33', so that plot "
                                     "'time_ns_over_n' would be empty"));
  EXPECT_FALSE(fs::exists(folder() + "/out/points.csv"));
}

TEST_F(SweepCommandTest, TheFirstSweepOfTheGuideRuns) {
  std::ifstream guide(KB_SOURCE_DIR "/docs/guides/sweep.md");
  const std::string text((std::istreambuf_iterator<char>(guide)), {});
  const std::size_t begin = text.find("```yaml\n") + 8;
  write("tiles.yaml", text.substr(begin, text.find("```\n", begin) - begin));
  EXPECT_EQ(kernbench("sweep tiles.yaml --dry-run").out,
            "9 points, of which 0 are done\nobjectives: min hbm_gbs, max tflops\n");
  const Outcome outcome = kernbench("sweep tiles.yaml --plot");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("tiles: 9 points, 9 ok, 0 failed"));
  const std::size_t front = text.find("Pareto front of min hbm_gbs");
  EXPECT_THAT(outcome.out, HasSubstr(text.substr(front, text.find("```", front) - front))) << "as the guide prints it";
  EXPECT_THAT(read("sweeps/tiles/points.csv"), HasSubstr("point,tile_k,hbm_gbs,time_ns,tflops,status,cause,pareto\n"));
}

TEST_F(SweepCommandTest, WithoutSlurmOrParallelThatIsSaid) {
  sweep_file(kBytes);
  const std::string nowhere = "mkdir -p empty; PATH=$PWD/empty;";
  const Outcome slurm = sweep("--on slurm", nowhere);
  EXPECT_EQ(slurm.code, 2);
  EXPECT_THAT(slurm.err, HasSubstr("Slurm is not there (sbatch: No such file or directory)"));
  EXPECT_FALSE(fs::exists(folder() + "/out")) << "nothing was begun, so nothing is left behind";
  const Outcome parallel = sweep("--on parallel", nowhere);
  EXPECT_EQ(parallel.code, 2);
  EXPECT_THAT(parallel.err, HasSubstr("GNU parallel is not there"));
  EXPECT_FALSE(fs::exists(folder() + "/out"));
  EXPECT_EQ(kernbench("sweep s.yaml --on slurm", nowhere).code, 2);
  EXPECT_FALSE(fs::exists(folder() + "/sweeps"));
  fs::create_directories(folder() + "/out");
  EXPECT_EQ(sweep("--on slurm", nowhere).code, 2);
  EXPECT_TRUE(fs::is_empty(folder() + "/out")) << "a folder of the user's stays";
  EXPECT_THAT(sweep("--on slurmm").err, HasSubstr("did you mean 'slurm'?"));
}

TEST_F(SweepCommandTest, ATaskThatFindsSomethingElseRefuses) {
  sweep_file(kBytes);
  const Outcome outcome = sweep("--task 0 --points-per-task 2 --identity abc");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("submit again"));
}

}  // namespace
}  // namespace kb::test
