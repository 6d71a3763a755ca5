// The Pareto front of a table, and the files that show it.
#include "sim/study/sweep/front.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "platform/base/error.h"
#include "sim/study/sweep/objective_plots.h"
#include "sim/study/sweep/pareto.h"
#include "sim/study/sweep/summary.h"
#include "sim/study/sweep/sweep_file.h"

namespace kb::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Rows = std::vector<std::vector<double>>;

// The definition, row by row.
bool is_dominated(const Rows& rows, std::size_t row) {
  for (const std::vector<double>& other : rows) {
    bool no_worse = true, better = false;
    for (std::size_t i = 0; i < other.size(); ++i) {
      no_worse = no_worse && other[i] <= rows[row][i];
      better = better || other[i] < rows[row][i];
    }
    if (no_worse && better) return true;
  }
  return false;
}

// Few values, so that rows are equal in one place or in all.
RC_GTEST_PROP(Pareto, TheFrontIsWhatNoOtherRowDominates, ()) {
  const auto width = *rc::gen::inRange<std::size_t>(1, 6);
  const auto values = *rc::gen::element(3, 10, 1000);
  const auto row = rc::gen::container<std::vector<int>>(width, rc::gen::inRange(-values, values));
  const auto drawn = *rc::gen::container<std::vector<std::vector<int>>>(row);
  Rows rows;
  for (const std::vector<int>& one : drawn) rows.emplace_back(one.begin(), one.end());
  const std::vector<bool> on = on_pareto_front(rows);
  RC_ASSERT(on.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) RC_ASSERT(on[i] == !is_dominated(rows, i));
}

TEST(Pareto, EqualRowsAreOnTheFrontTogether) {
  EXPECT_THAT(on_pareto_front({{1, 2}, {1, 2}, {2, 1}, {2, 2}}), ElementsAre(true, true, true, false));
  EXPECT_THAT(on_pareto_front({{-0.0, 1}, {0.0, 1}}), ElementsAre(true, true));
  EXPECT_THAT(on_pareto_front({{1, 2, 3}, {1, 2, 3}, {1, 2, 4}}), ElementsAre(true, true, false));
}

const char kObjectives[] = "objectives: [{column: cost, goal: min}, {column: rate, goal: max}]\n";

SweepSpec spec(const std::string& objectives = kObjectives, const std::string& more = "") {
  return parse_sweep(
      "sweep: t\nworkload: copy\n"
      "axes: {cost: {set: cost, values: [1, 2, 3]}, mode: {set: mode, values: [a, b]}, one: {set: x, values: [7]}}\n"
      "columns: {rate: /rate, name: {of: /name, optional: true}, twice: 2 * rate}\n" +
          objectives + more,
      "t.yaml", ".");
}

Answer rate(const nlohmann::ordered_json& value) {
  return {true, "", "", {value, "n"}};
}

// Points 0 to 5: cost 1 1 2 2 3 3.
Table table(const SweepSpec& spec) {
  static const Answer slow = rate(10), equal = rate(10), fast = rate(30), none = rate(nullptr);
  static const Answer failed{false, "DEADLOCK", "nobody moves", {}};
  const Space space(spec);
  return make_table(spec, space, {&slow, &equal, &fast, &none, &failed, nullptr});
}

TEST(Front, IsOfThePointsThatHaveANumberForEveryObjective) {
  const SweepSpec sweep = spec();
  const Table made = table(sweep);
  const Front front = front_of(sweep, made);
  EXPECT_THAT(front.rows, ElementsAre(0, 1, 2));
  EXPECT_EQ(front.compared, 3u);
  EXPECT_EQ(front.failed, 1u);
  EXPECT_EQ(front.missing, 1u);
  EXPECT_EQ(front.no_value, 1u);
  EXPECT_EQ(made.columns.back(), "pareto");
  EXPECT_EQ(table_columns(sweep), made.columns);
  EXPECT_THAT(render_csv(made), HasSubstr("2,2,a,7,30,n,60,ok,,true\n3,2,b,7,,n,,ok,,\n"));
  EXPECT_THAT(render_csv(made), HasSubstr("4,3,a,7,,,,failed,DEADLOCK: nobody moves,\n5,3,b,7,,,,missing,,\n"));
}

TEST(Front, ComesWithTheBestOfTheFirstObjectiveFirst) {
  const SweepSpec sweep = spec("objectives: [{column: rate, goal: max}, {column: cost, goal: min}]\n");
  const Table made = table(sweep);
  const Front front = front_of(sweep, made);
  EXPECT_THAT(front.rows, ElementsAre(2, 0, 1));
  EXPECT_EQ(front_csv(made, front),
            "point,cost,mode,one,rate,name,twice,status,cause,pareto\n"
            "2,2,a,7,30,n,60,ok,,true\n0,1,a,7,10,n,20,ok,,true\n1,1,b,7,10,n,20,ok,,true\n");
}

TEST(Front, IsPrintedWithWhatWasNotCompared) {
  const SweepSpec sweep = spec();
  const Table made = table(sweep);
  EXPECT_EQ(front_text(sweep, made, front_of(sweep, made)),
            "Pareto front of min cost, max rate: 3 of 3 points\n"
            "  point  cost  rate  mode  one\n"
            "      0     1    10     a    7\n"
            "      1     1    10     b    7\n"
            "      2     2    30     a    7\n"
            "  not compared: 1 failed, 1 missing, 1 without a number for an objective\n");
  const Table empty = make_table(sweep, Space(sweep), std::vector<const Answer*>(6, nullptr));
  EXPECT_EQ(front_text(sweep, empty, front_of(sweep, empty)),
            "Pareto front of min cost, max rate: 0 of 0 points\n  not compared: 6 missing\n");
}

TEST(Front, OfManyPointsIsCutWhenItIsPrinted) {
  const SweepSpec sweep = parse_sweep(
      "workload: copy\naxes: {m: {set: m, range: {from: 1, to: 30, step: 1}}}\ncolumns: {t: /t}\n"
      "objectives: [{column: m, goal: max}, {column: t, goal: min}]\n",
      "t.yaml", ".");
  std::vector<Answer> all;
  for (int i = 0; i < 30; ++i) all.push_back({true, "", "", {i}});
  std::vector<const Answer*> answers;
  for (const Answer& one : all) answers.push_back(&one);
  const Table made = make_table(sweep, Space(sweep), answers);
  const std::string text = front_text(sweep, made, front_of(sweep, made));
  EXPECT_THAT(text, HasSubstr("30 of 30 points\n  point   m   t\n     29  30  29\n"));
  EXPECT_THAT(text, HasSubstr("     18  19  18\n  and 18 more\n"));
}

TEST(Front, WithoutObjectivesTheTableIsAsBefore) {
  const SweepSpec sweep = spec("");
  const Table made = table(sweep);
  EXPECT_EQ(made.columns.back(), "cause");
  EXPECT_TRUE(front_of(sweep, made).rows.empty());
}

TEST(Summary, SaysWhatTheColumnsAre) {
  const SweepSpec sweep = spec(kObjectives, "plots: [{x: cost, y: rate, series: mode, where: {one: 7}}]\n");
  const Table made = table(sweep);
  const auto json = nlohmann::json::parse(render_summary(sweep, made, front_of(sweep, made)));
  EXPECT_EQ(json["file"], "t.yaml");
  EXPECT_EQ(json["keep"], "columns");
  EXPECT_EQ(json["points"], (nlohmann::json{{"all", 6}, {"ok", 4}, {"failed", 1}, {"missing", 1}}));
  EXPECT_EQ(
      json["axes"][0],
      (nlohmann::json{{"name", "cost"}, {"axis", "cost"}, {"varies", "set"}, {"key", "cost"}, {"values", {1, 2, 3}}}));
  EXPECT_EQ(json["axes"][1]["values"], (nlohmann::json{"a", "b"}));
  EXPECT_EQ(json["columns"][2], (nlohmann::json{{"name", "twice"}, {"kind", "formula"}, {"text", "2 * rate"}}));
  EXPECT_EQ(json["objectives"][1], (nlohmann::json{{"column", "rate"}, {"goal", "max"}}));
  EXPECT_EQ(json["pareto"],
            (nlohmann::json{{"points", {0, 1, 2}}, {"compared", 3}, {"failed", 1}, {"missing", 1}, {"no_value", 1}}));
  ASSERT_EQ(json["plots"].size(), 3u);
  EXPECT_EQ(json["plots"][0]["where"], (nlohmann::json{{"one", 7}}));
  EXPECT_EQ(json["plots"][1]["name"], "pareto_cost_rate");
  EXPECT_EQ(json["plots"][2],
            (nlohmann::json{{"name", "heat_rate"}, {"kind", "heat"}, {"x", "cost"}, {"y", "mode"}, {"value", "rate"}}));
  EXPECT_TRUE(nlohmann::json::parse(render_summary(spec(""), table(spec("")), {}))["pareto"].is_null());
}

TEST(ObjectivePlots, HaveEveryPairOfObjectives) {
  const SweepSpec sweep = spec(
      "objectives: [{column: cost, goal: min}, {column: rate, goal: max}, {column: twice, goal: min}]\n"
      "plots: [{heat: rate, x: mode, y: cost}]\n");
  std::vector<std::string> names;
  for (const Plot& plot : all_plots(sweep)) names.push_back(plot.name);
  EXPECT_THAT(names,
              ElementsAre("heat_rate", "pareto_cost_rate", "pareto_cost_twice", "pareto_rate_twice", "heat_twice"));
  EXPECT_EQ(all_plots(sweep)[0].x, "mode") << "the file's own stands in the place of the usual one";
}

TEST(ObjectivePlots, AFrontIsMarkedAmongAllPoints) {
  const SweepSpec sweep = spec();
  const PlotFiles files = plot_files(all_plots(sweep)[0], table(sweep));
  EXPECT_THAT(files.data, HasSubstr("\n1 10 0\n1 10 1\n2 30 2\n"));
  EXPECT_THAT(files.script, HasSubstr("index 0 using 1:2 with steps"));
  EXPECT_THAT(files.script, testing::Not(HasSubstr("dominated"))) << "there is none";
  const SweepSpec turned = spec("objectives: [{column: cost, goal: max}, {column: rate, goal: max}]\n");
  const PlotFiles of_turned = plot_files(all_plots(turned)[0], table(turned));
  EXPECT_THAT(of_turned.data, HasSubstr("\n2 30 2\n\n\n1 10 0\n1 10 1\n"));
  EXPECT_THAT(of_turned.script, HasSubstr("index 0 using 1:2 with fsteps"));
  EXPECT_THAT(of_turned.script, HasSubstr("index 1 using 1:2 with points"));
}

TEST(ObjectivePlots, ACellOfAHeatMapShowsTheBestOfItsPoints) {
  const SweepSpec sweep = spec();
  EXPECT_THAT(plot_files(all_plots(sweep)[1], table(sweep)).data, HasSubstr("\n0 0 10\n0 1 10\n1 0 30\n"));
  Plot shared = all_plots(sweep)[1];
  shared.y = "one";
  EXPECT_THAT(plot_files(shared, table(sweep)).data, HasSubstr("\n0 0 10\n1 0 30\n"));
  shared.best.reset();
  EXPECT_THROW(plot_files(shared, table(sweep)), Error);
  shared.where = {{"mode", "a"}};
  const PlotFiles files = plot_files(shared, table(sweep));
  EXPECT_THAT(files.script, HasSubstr("set xtics (\"1\" 0, \"2\" 1, \"3\" 2)"));
  EXPECT_THAT(files.script, HasSubstr("set yrange [-0.5:0.5]"));
}

}  // namespace
}  // namespace kb::sweep
