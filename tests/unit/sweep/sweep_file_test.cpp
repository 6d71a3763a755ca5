// What a sweep file may say, and what is told about one that is wrong.
#include "sim/study/sweep/sweep_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "platform/base/error.h"

namespace kb::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const char kHead[] = "workload: copy\ncolumns: {time_ns: /sim_time_ns}\n";

SweepSpec parse(const std::string& text) {
  return parse_sweep(text, "my.yaml", ".");
}

// The values of the only axis.
std::vector<std::string> values(const std::string& source) {
  return parse(kHead + std::string("axes: {a: {set: m, ") + source + "}}\n").axes.at(0).columns.at(0).values;
}

// What is told about a file.
std::string problems(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << text;
  return {};
}

std::string problems_of_axis(const std::string& axis) {
  return problems(kHead + std::string("axes: {a: ") + axis + "}\n");
}

TEST(SweepFile, ListsAndRangesGiveTheirValues) {
  EXPECT_THAT(values("values: [4, x, 2.5]"), ElementsAre("4", "x", "2.5"));
  EXPECT_THAT(values("range: {from: 16, to: 64, step: 16}"), ElementsAre("16", "32", "48", "64"));
  EXPECT_THAT(values("range: {from: 3, to: 1, step: -1}"), ElementsAre("3", "2", "1"));
  EXPECT_THAT(values("range: {from: 0.1, to: 0.3, step: 0.1}"), ElementsAre("0.1", "0.2", "0.3"));
  EXPECT_THAT(values("range: {from: 8, to: 70, factor: 2}"), ElementsAre("8", "16", "32", "64"));
  EXPECT_THAT(values("range: {from: 1, to: 2, count: 5}"), ElementsAre("1", "1.25", "1.5", "1.75", "2"));
}

TEST(SweepFile, WrongRangesAreRefused) {
  EXPECT_THAT(problems_of_axis("{set: m, range: {from: 1, to: 4, step: -1}}"), HasSubstr("never lead from 1 to 4"));
  EXPECT_THAT(problems_of_axis("{set: m, range: {from: 0, to: 4, factor: 2}}"), HasSubstr("never leads from 0 to 4"));
  EXPECT_THAT(problems_of_axis("{set: m, range: {from: 1, to: 4}}"), HasSubstr("one of step, factor and count"));
  EXPECT_THAT(problems_of_axis("{set: m, range: {from: 0, to: 1e9, step: 1}}"), HasSubstr("1000000001 values"));
}

TEST(SweepFile, FilesAndZippedPartsGiveTheirValues) {
  const std::string folder = testing::TempDir() + "kb_sweep_" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/shapes.csv") << "# shapes\nm, n\n1,10\n2,20\n";
  std::ofstream(folder + "/list.txt") << "7\n\n8\n";
  const std::string text = kHead + std::string(
                                       "axes:\n"
                                       "  shape: {zip: [{set: m, file: shapes.csv, column: m},\n"
                                       "                {set: n, file: shapes.csv, column: n, as: width}]}\n"
                                       "  k: {set: k, file: list.txt}\n");
  const SweepSpec spec = parse_sweep(text, "my.yaml", folder);
  ASSERT_EQ(spec.axes.size(), 2u);
  EXPECT_EQ(spec.axes[0].columns[0].name, "m");
  EXPECT_EQ(spec.axes[0].columns[1].name, "width");
  EXPECT_THAT(spec.axes[0].columns[1].values, ElementsAre("10", "20"));
  EXPECT_THAT(spec.axes[1].columns[0].values, ElementsAre("7", "8"));
  try {
    parse_sweep(kHead + std::string("axes: {a: {set: m, file: shapes.csv, column: mm}}\n"), "my.yaml", folder);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no column 'mm'; did you mean 'm'?"));
  }
  std::filesystem::remove_all(folder);
}

TEST(SweepFile, ZippedPartsNeedEquallyManyValues) {
  EXPECT_THAT(problems_of_axis("{zip: [{set: m, values: [1, 2]}, {set: n, values: [1, 2, 3]}]}"),
              HasSubstr("m has 2 values and n has 3"));
}

TEST(SweepFile, EveryProblemIsToldWithItsPlace) {
  const std::string problem_text = problems(
      "workload: copy\n"
      "axis: {}\n"
      "axes:\n"
      "  tile: {sets: m, values: [1]}\n"
      "columns: {t: /sim_time_ns}\n"
      "limits: {time: 60, memory: 2 XB}\n");
  EXPECT_THAT(problem_text, HasSubstr("my.yaml:2:1: axis: unknown key 'axis' (did you mean 'axes'?)"));
  EXPECT_THAT(problem_text, HasSubstr("my.yaml:4:"));
  EXPECT_THAT(problem_text, HasSubstr("one of set"));
  EXPECT_THAT(problem_text,
              HasSubstr("my.yaml:6:16: limits.time: expected a number greater than 0 with a unit (ms, s, min, h)"));
  EXPECT_THAT(problem_text, HasSubstr("found '2 XB'"));
}

TEST(SweepFile, NamesAreThoseOfColumnsAndVariables) {
  EXPECT_THAT(problems(kHead + std::string("axes: {point: {set: m, values: [1, 2]}}\n")),
              HasSubstr("the column 'point' has a name that every table uses itself"));
  EXPECT_THAT(problems(kHead + std::string("axes: {2a: {set: m, values: [1, 2]}}\n")),
              HasSubstr("begin with a letter"));
  EXPECT_THAT(problems(kHead + std::string("axes: {time_ns: {set: m, values: [1, 2]}}\n")),
              HasSubstr("is an axis, too"));
}

TEST(SweepFile, FormulasUseAxesAndColumnsAbove) {
  const std::string axes = "workload: copy\naxes: {m: {set: m, values: [1, 2]}}\n";
  const SweepSpec spec =
      parse(axes + "columns: {t: /sim_time_ns, rate: m / t, twice: {of: 2 * rate, optional: true}}\n");
  EXPECT_FALSE(spec.columns[0].formula);
  EXPECT_TRUE(spec.columns[1].formula);
  EXPECT_TRUE(spec.columns[2].formula);
  EXPECT_THAT(problems(axes + "columns: {rate: m / tt, tt: /sim_time_ns}\n"),
              HasSubstr("'tt' is neither an axis nor a column above this one"));
  EXPECT_THAT(problems(axes + "columns: {rate: m / (1 +}\n"), HasSubstr("the formula cannot be read"));
  EXPECT_THAT(problems(axes + "columns: {t: /launches/*/id}\n"), HasSubstr("* stands for many values"));
}

TEST(SweepFile, LimitsHaveUnits) {
  const SweepSpec spec = parse(
      kHead + std::string("axes: {m: {set: m, values: [1, 2]}}\nlimits: {time: 2 min, memory: 2GB, retries: 3}\n"));
  EXPECT_EQ(spec.limits.time_s, 120.0);
  EXPECT_EQ(spec.limits.memory_mb, 2048.0);
  EXPECT_EQ(spec.limits.retries, 3);
}

TEST(SweepFile, PlotsNameColumns) {
  const std::string text = kHead + std::string("axes: {m: {set: m, values: [1, 2]}}\nplots: ");
  EXPECT_EQ(parse(text + "[{x: m, y: time_ns}]\n").plots.at(0).name, "time_ns_over_m");
  EXPECT_THAT(problems(text + "[{x: mm, y: time_ns}]\n"), HasSubstr("there is no column 'mm' (did you mean 'm'?)"));
  EXPECT_THAT(problems(text + "[{x: m, y: time_ns}, {x: m, y: time_ns}]\n"), HasSubstr("two plots"));
  EXPECT_THAT(problems(text + "[{x: m, y: time_ns, name: ../a}]\n"), HasSubstr("cannot be the name of a file"));
}

TEST(SweepFile, AHeatMapHasTwoAxesAndAColumn) {
  const std::string text =
      kHead + std::string("axes: {m: {set: m, values: [1, 2]}, n: {set: n, values: [1, 2]}}\nplots: ");
  const Plot plot = parse(text + "[{heat: time_ns, x: m, y: n}]\n").plots.at(0);
  EXPECT_EQ(plot.name, "heat_time_ns");
  EXPECT_EQ(plot.kind, Plot::Kind::heat);
  EXPECT_THAT(problems(text + "[{heat: time_ns, x: m, y: time_ns}]\n"),
              HasSubstr("plots[0].y: there is no axis 'time_ns' (known: m, n)"));
  EXPECT_THAT(problems(text + "[{heat: time, x: m, y: n}]\n"),
              HasSubstr("there is no column 'time' (did you mean 'time_ns'?)"));
  EXPECT_THAT(problems(text + "[{heat: time_ns, x: m, y: m}]\n"), HasSubstr("x and y are the same axis"));
  EXPECT_THAT(problems(text + "[{heat: time_ns, x: m, y: n, series: m}]\n"), HasSubstr("unknown key 'series'"));
}

TEST(SweepFile, ObjectivesAreColumnsWithADirection) {
  const std::string text = kHead + std::string("axes: {m: {set: m, values: [1, 2]}}\nobjectives: ");
  const SweepSpec spec = parse(text + "[{column: time_ns, goal: min}, {column: m, goal: max}]\n");
  ASSERT_EQ(spec.objectives.size(), 2u);
  EXPECT_EQ(objectives_text(spec.objectives), "min time_ns, max m");
  EXPECT_THAT(problems(text + "[{column: time_n, goal: min}, {column: m, goal: max}]\n"),
              HasSubstr("my.yaml:4:23: objectives[0].column: there is no column 'time_n' (did you mean 'time_ns'?)"));
  EXPECT_THAT(problems(text + "[{column: m, goal: min}, {column: m, goal: max}]\n"),
              HasSubstr("my.yaml:4:47: objectives[1].column: 'm' is an objective twice (name each column once)"));
  EXPECT_THAT(problems(text + "[{column: time_ns, goal: min}]\n"),
              HasSubstr("my.yaml:4:13: objectives: one objective alone has a best point and no Pareto front"));
  EXPECT_THAT(problems(text + "[]\n"), HasSubstr("there is no objective"));
  EXPECT_THAT(problems(text + "[{column: m, goal: least}, {column: time_ns, goal: min}]\n"),
              HasSubstr("objectives[0].goal: "));
  EXPECT_THAT(problems(text + "[{column: m}, {column: time_ns, goal: min}]\n"), HasSubstr("objectives[0].goal"));
  EXPECT_THAT(problems(text + "[{column: m, gaol: min}, {column: time_ns, goal: min}]\n"),
              HasSubstr("unknown key 'gaol' (did you mean 'goal'?)"));
  EXPECT_THAT(problems(text + "[{column: status, goal: min}, {column: time_ns, goal: min}]\n"),
              HasSubstr("there is no column 'status'"));
}

TEST(SweepFile, TrafficHasNoResultToKeep) {
  EXPECT_THAT(problems("traffic: t.sql\ncolumns: {t: SELECT 1}\naxes: {m: {set: m, values: [1]}}\nkeep: runs\n"),
              HasSubstr("keep: traffic has no result that could be kept"));
}

}  // namespace
}  // namespace kb::sweep
