// `kernbench evaluate FOLDER`: sweeps, tables, checks and figures of a user's own, interruptions, mistakes (chapter
// 09).
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/machine/cli/command_line.h"
#include "tests/support/sqlite_rows.h"

namespace kb::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const char kRuns[] =
    "workload: vector-add\naxes: {n: {set: elements_per_pe, values: [256, 512, 1024]}}\n"
    "columns: {time_ns: max /launches/*/pe_exec_ns/max}\n";
const char kSqlTables[] = "CREATE TABLE rate AS SELECT n, time_ns, n / time_ns AS rate, word FROM runs, words;\n";
const std::string kEvaluation = R"(evaluation: my
about: vector additions
sweeps: {runs: runs.yaml}
data: {words: words.csv}
tables: [tables.sql]
results: [rate]
checks:
  - rule: R-1
    violations: SELECT format('%d elements take %g ns', n, time_ns) FROM rate WHERE time_ns <= 0
figures:
  - name: rate
    script: rate.gp
    width: 600
    texts: SELECT 'Elements per ns' AS title, word AS label FROM words
    data:
      line: SELECT n, rate FROM rate ORDER BY n
)";
const char kScript[] =
    "set title title\nset xlabel origin\nset ylabel 'elements per ns'\nplot $line using 1:2 with linespoints title "
    "label\n";

class EvaluateFolderTest : public CommandLineTest {
 protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    fs::create_directories(folder() + "/my");
    write("my/runs.yaml", kRuns);
    write("my/tables.sql", kSqlTables);
    write("my/words.csv", "# a table of one row\nword,number\n\"small, and \"\"quoted\"\"\",3\n");
    write("my/rate.gp", kScript);
    describe();
  }
  void describe(const std::string& more = "") const { write("my/evaluation.yaml", kEvaluation + more); }
  // Runs with these numbers of rows; 1024 and more do not fit in scratch.
  void run_rows(const std::string& values) const {
    write("my/runs.yaml",
          "workload: matmul-composite\nset: {k: 1024, n: 32, variant: load_ref}\naxes: {n: {set: m, values: [" +
              values + "]}}\ncolumns: {time_ns: max /launches/*/pe_exec_ns/max}\n");
  }
  Outcome evaluate(const std::string& options = "", const std::string& prefix = "") const {
    return kernbench("evaluate my --topology '" + config("one_pe") + "' --out out " + options, prefix);
  }
  static int shell(const std::string& command) { return std::system(command.c_str()); }
  SqlRows rows(const std::string& query) const { return sql_rows(folder() + "/out/my.sqlite", query); }
  void expect_refused(const std::string& file, const std::string& text, const std::string& message) const {
    const std::string before = read("my/" + file);
    write("my/" + file, text);
    const Outcome outcome = evaluate();
    EXPECT_EQ(outcome.code, 2) << text << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << text;
    write("my/" + file, before);
  }
};

TEST_F(EvaluateFolderTest, TablesKnowTheFrontOfTheirSweep) {
  write("my/runs.yaml", std::string(kRuns) + "objectives: [{column: n, goal: max}, {column: time_ns, goal: min}]\n");
  write("my/tables.sql", std::string(kSqlTables) + "CREATE TABLE front AS SELECT n FROM runs WHERE pareto;\n");
  ASSERT_EQ(evaluate().code, 0);
  EXPECT_EQ(rows("SELECT n FROM front ORDER BY n"), (SqlRows{{"256"}, {"512"}, {"1024"}}));
}

TEST_F(EvaluateFolderTest, SweepsMakeTablesAndTablesMakeTheRest_E1_E3) {
  const Outcome outcome = evaluate();
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("my: 3 points, 3 were run"));
  EXPECT_THAT(outcome.out, HasSubstr("checks passed"));
  EXPECT_THAT(read("out/rate.csv"), HasSubstr("n,time_ns,rate,word\n256,"));
  EXPECT_THAT(read("out/rate.csv"), HasSubstr(",\"small, and \"\"quoted\"\"\"\n"));
  EXPECT_EQ(rows("SELECT count(*), sum(rate = n / time_ns) FROM rate"), (SqlRows{{"3", "3"}}));
  const double time = json("run --json --bench vector-add --set elements_per_pe=512 --topology '" + config("one_pe") +
                           "'")["launches"][0]["pe_exec_ns"]["max"];
  EXPECT_EQ(rows("SELECT time_ns FROM runs WHERE n = 512"), rows("SELECT " + nlohmann::json(time).dump()));
  EXPECT_EQ(read("out/rate.png").substr(1, 3), "PNG");
  EXPECT_EQ(read("out/rate.pdf").substr(0, 5), "%PDF-");
  EXPECT_THAT(read("out/rate.svg"), HasSubstr("small, and \"quoted\""));
  const std::string picture = read("out/rate.svg");
  fs::remove(folder() + "/out/rate.svg");
  EXPECT_EQ(shell("cd '" + folder() + "/out' && gnuplot rate.gp"), 0) << "a figure can be drawn by hand";
  EXPECT_EQ(read("out/rate.svg"), picture);
}

TEST_F(EvaluateFolderTest, EqualInputsGiveEqualBytes_E5) {
  ASSERT_EQ(evaluate("--jobs 1").code, 0);
  fs::rename(folder() + "/out", folder() + "/first");
  ASSERT_EQ(evaluate("--jobs 3", "VECTOR_ADD_ELEMENTS_PER_PE=7").code, 0);
  for (const std::string name : {"rate.csv", "rate.svg", "my.sqlite"}) {
    EXPECT_EQ(read("out/" + name), read("first/" + name)) << name;
  }
}

TEST_F(EvaluateFolderTest, FastTakesTheTablesThatAreThere_E4) {
  const Outcome missing = evaluate("--fast");
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("out/my.sqlite to draw from; measure first"));
  ASSERT_EQ(evaluate().code, 0);
  const std::string table = read("out/rate.csv");
  fs::remove_all(folder() + "/out/sweeps");
  for (const auto& [options, prefix] : {std::pair("--fast", ""), std::pair("", "MILESTONE_FAST=1")}) {
    fs::remove(folder() + "/out/rate.svg");
    const Outcome outcome = evaluate(options, prefix);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("drawn from the tables of an earlier call"));
    EXPECT_EQ(read("out/rate.csv"), table);
    EXPECT_TRUE(fs::exists(folder() + "/out/rate.svg"));
  }
  const Outcome other = evaluate("--fast --set system.ns_per_mm=0.02");
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("of another machine than --topology and --set choose"));
  write("out/my.sqlite", "no database");
  EXPECT_THAT(evaluate("--fast").err, HasSubstr("out/my.sqlite: "));
}

TEST_F(EvaluateFolderTest, AnInterruptedOneGoesOn_E7) {
  std::string values = "32";
  for (int n = 64; n <= 60 * 32; n += 32) values += ", " + std::to_string(n);
  const std::string runs = kRuns;
  write("my/runs.yaml", runs.substr(0, runs.find('[')) + "[" + values + runs.substr(runs.find(']')));
  ASSERT_EQ(evaluate().code, 0);
  fs::rename(folder() + "/out", folder() + "/whole");
  EXPECT_EQ(evaluate("--jobs 1", signalled_when("KILL", "out/sweeps/runs/journal/*.journal")).code, 128 + 9);
  const Outcome again = evaluate();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, Not(HasSubstr("60 were run")));
  EXPECT_EQ(read("out/rate.csv"), read("whole/rate.csv"));
  EXPECT_THAT(evaluate().out, HasSubstr("60 points, 0 were run"));
  EXPECT_THAT(evaluate("--set system.ns_per_mm=0.02").out, HasSubstr("60 were run")) << "another machine";
}

TEST_F(EvaluateFolderTest, AViolatedCheckIsNamedAndFails_E9) {
  ASSERT_EQ(evaluate().code, 0);
  ASSERT_EQ(shell("cd '" + folder() + "' && sed -i 's/time_ns <= 0/n = 256/' my/evaluation.yaml"), 0);
  fs::remove(folder() + "/out/rate.svg");
  const Outcome outcome = evaluate();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("check R-1 failed: 256 elements take "));
  EXPECT_THAT(outcome.out, HasSubstr("0 were run"));
  EXPECT_THAT(outcome.out, HasSubstr("checks FAILED"));
  EXPECT_TRUE(fs::exists(folder() + "/out/rate.svg")) << "it shows what is wrong";
}

TEST_F(EvaluateFolderTest, AFailedPointFailsUnlessItMay_E100) {
  run_rows("32, 1024");
  const Outcome outcome = evaluate();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("check points failed: runs, point 1: OUT_OF_SCRATCH: "));
  describe("may_fail: [OUT_OF_SCRATCH]\nnotes: SELECT 'no room for ' || n FROM runs WHERE status = 'failed'\n");
  const Outcome allowed = evaluate();
  EXPECT_EQ(allowed.code, 0) << allowed.err;
  EXPECT_THAT(allowed.err, HasSubstr("note: no room for 1024"));
  EXPECT_THAT(allowed.out, HasSubstr("2 points, 0 were run"));
  EXPECT_EQ(rows("SELECT count(*) FROM rate WHERE rate IS NULL"), (SqlRows{{"1"}}));
}

// Thousands of them took seconds of writing one file again and again.
TEST_F(EvaluateFolderTest, AResultIsNamedOnce) {
  std::string twice = kEvaluation;
  twice.replace(twice.find("[rate]"), 6, "[rate, rate]");
  expect_refused("evaluation.yaml", twice, "results: 'rate' is named twice (name each table once)");
}

// Without any number there is nothing to draw: one more thing that failed, not what is wrong.
TEST_F(EvaluateFolderTest, AFigureOfFailedPointsIsACheckThatFails) {
  run_rows("1024, 2048");
  const Outcome outcome = evaluate();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("check points failed: runs, point 1: OUT_OF_SCRATCH: "));
  EXPECT_THAT(outcome.err, HasSubstr("check figures failed: gnuplot failed to draw rate."));
  EXPECT_THAT(outcome.out, HasSubstr("checks FAILED"));
}

TEST_F(EvaluateFolderTest, SweepsRunWhenTheyAreAskedFor) {
  write("my/evaluation.yaml",
        "evaluation: my\nsweeps: {runs: runs.yaml, more: {file: runs.yaml, on_request: true}}\nresults: [runs]\n");
  EXPECT_THAT(evaluate().out, HasSubstr("3 points, 3 were run"));
  EXPECT_EQ(rows("SELECT count(*) FROM more"), (SqlRows{{"0"}}));
  EXPECT_THAT(evaluate("--sweeps more").out, HasSubstr("3 points, 3 were run"));
  EXPECT_EQ(rows("SELECT count(*) FROM runs"), (SqlRows{{"0"}}));
  EXPECT_THAT(evaluate("--sweeps mroe").err, HasSubstr("did you mean 'more'?"));
}

TEST_F(EvaluateFolderTest, FiguresOfAnEarlierCallGo) {
  describe(
      "  - {name: other, script: rate.gp, each: 'SELECT n FROM rate', texts: \"SELECT 'x' AS title, 'y' AS label\", "
      "data: {line: 'SELECT n, rate FROM rate WHERE n = :n'}}\n");
  ASSERT_EQ(evaluate().code, 0);
  for (const char* figure : {"other_256", "other_512", "other_1024"}) {
    EXPECT_TRUE(fs::exists(folder() + "/out/" + figure + ".png")) << figure;
  }
  write("out/mine.svg", "mine");
  describe();
  ASSERT_EQ(evaluate().code, 0);
  EXPECT_FALSE(fs::exists(folder() + "/out/other_256.svg"));
  EXPECT_TRUE(fs::exists(folder() + "/out/rate.svg"));
  EXPECT_EQ(read("out/mine.svg"), "mine");
}

// Every way of a text into gnuplot: the name of the topology file, values of tables, the output folder (E-97).
TEST_F(EvaluateFolderTest, TextOfTablesExecutesNothing_E97) {
  fs::copy_file(config("one_pe"), folder() + "/t`touch PWN`.yaml");
  write("my/words.csv", "word\n\"`touch PWN`\"\"; system('touch PWN')\n\x1b[31m$(touch PWN) @x\"\n");
  const Outcome outcome = kernbench("evaluate my --topology 't`touch PWN`.yaml' --out 'o`touch PWN`\"x'");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(read("o`touch PWN`\"x/rate.svg"), HasSubstr("topology t`touch PWN`.yaml"));
  EXPECT_THAT(read("o`touch PWN`\"x/rate.svg"), HasSubstr("\\x1b[31m$(touch PWN) @x"));
  EXPECT_THAT(files(), Not(testing::Contains(testing::AnyOf("PWN", testing::EndsWith("/PWN")))));
}

TEST_F(EvaluateFolderTest, WithoutGnuplotTheTablesAreThere_E8) {
  const Outcome outcome = evaluate("", "PATH=/nonexistent");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("Debian: gnuplot-nox"));
  EXPECT_TRUE(fs::exists(folder() + "/out/rate.csv"));
  EXPECT_EQ(evaluate("--fast").code, 0);
}

TEST_F(EvaluateFolderTest, ACopyCanBeChanged) {
  const Outcome copied = kernbench("evaluate gqa --copy mine");
  ASSERT_EQ(copied.code, 0) << copied.err;
  EXPECT_EQ(copied.out, "kernbench evaluate mine runs this copy\n");
  EXPECT_TRUE(fs::exists(folder() + "/mine/evaluation.yaml"));
  EXPECT_THAT(read("mine/evaluation.yaml"), HasSubstr("style: style.gp"));
  EXPECT_EQ(kernbench("evaluate mine --sweeps validation --out out").code, 0);
  const Outcome again = kernbench("evaluate gqa --copy mine");
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("is there already"));
}

// Each block of the guide names its file in its first line.
TEST_F(EvaluateFolderTest, TheEvaluationOfTheGuideRuns) {
  std::ifstream guide(KB_SOURCE_DIR "/docs/guides/evaluation.md");
  const std::string text((std::istreambuf_iterator<char>(guide)), {});
  fs::create_directories(folder() + "/tiles");
  for (const std::string name : {"evaluation.yaml", "runs.yaml", "tables.sql", "tiles.gp"}) {
    const std::size_t begin = text.find(" tiles/" + name + "\n");
    ASSERT_NE(begin, std::string::npos) << name;
    const std::size_t first = text.find('\n', begin) + 1;
    write("tiles/" + name, text.substr(first, text.find("```", first) - first));
  }
  const Outcome outcome = kernbench("evaluate tiles --topology '" + config("one_pe") + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("tiles: 6 points, 6 were run"));
  EXPECT_THAT(read("evaluation/tiles/rate.csv"), HasSubstr("tile_n,hbm_gbs,time_ns,tflops,speedup\n32,16,"));
  EXPECT_TRUE(fs::exists(folder() + "/evaluation/tiles/tiles.svg"));
}

TEST_F(EvaluateFolderTest, MistakesAreToldWhereTheyStand) {
  const std::string yaml = read("my/evaluation.yaml");
  const auto with = [&](const std::string& what, const std::string& by) {
    std::string text = yaml;
    return text.replace(text.find(what), what.size(), by);
  };
  expect_refused("evaluation.yaml", with("results:", "result:"), "my/evaluation.yaml:6:1: result: ");
  expect_refused("evaluation.yaml", with("FROM rate WHERE time_ns", "FROM rote WHERE time_ns"), "no such table: rote");
  expect_refused("evaluation.yaml", with("FROM rate WHERE time_ns", "FROM rote WHERE time_ns"),
                 "my/evaluation.yaml:9:");
  expect_refused("evaluation.yaml", with("[rate]", "[rat]"), "no such table: rat");
  expect_refused("evaluation.yaml", with("script: rate.gp", "script: none.gp"), "none.gp");
  expect_refused("evaluation.yaml", with("name: rate", "name: a/b"), "'a/b' cannot be the name of a file");
  expect_refused("evaluation.yaml", with("width: 600", "width: 1"), "width");
  expect_refused("evaluation.yaml", with("{runs: runs.yaml}", "{runs: run.yaml}"), "run.yaml");
  expect_refused("tables.sql", "CREATE TABLE rate AS SELECT k FROM runs", "no such column: k");
  expect_refused("words.csv", "a,b\n1\n", "words.csv:2: 1 cells, but the table has 2 columns");
  expect_refused("rate.gp", "plot nothing(x)\n", "undefined function: nothing");
  const Outcome own = evaluate("--set system.sips.count=1 --jobs 0");
  EXPECT_THAT(own.err, HasSubstr("1 to 9999"));
  EXPECT_THAT(kernbench("evaluate gqq").err, HasSubstr("did you mean 'gqa'"));
}

TEST_F(EvaluateFolderTest, WhatAnEvaluationSetsItselfCannotBeSet) {
  write("my/runs.yaml", std::string(kRuns) + "machine: {system.ns_per_mm: 0.01}\n");
  const Outcome outcome = evaluate("--set system.ns_per_mm=0.02");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("runs.yaml sets this itself; leave this option out"));
  const std::string any =
      "axes: {n: {set: elements_per_pe, values: [256]}, m: {machine: \"*\", values: [system.ns_per_mm=0.01]}}";
  write("my/runs.yaml", "workload: vector-add\n" + any + "\ncolumns: {time_ns: max /launches/*/pe_exec_ns/max}\n");
  const Outcome varied = evaluate("--set system.ns_per_mm=0.02");
  EXPECT_EQ(varied.code, 2);
  EXPECT_THAT(varied.err, HasSubstr("runs.yaml varies this itself; leave this option out"));
  write("my/runs.yaml", std::string(kRuns) + "topology: " + config("one_cube") + "\n");
  EXPECT_THAT(evaluate().err, HasSubstr("has machines of its own; leave this option out"));
}

}  // namespace
}  // namespace kb::test
