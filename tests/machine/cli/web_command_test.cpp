// `kernbench web`: how it begins, how it ends, and what it says of folders that are none of a run.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class WebCommandTest : public CommandLineTest {
 protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    const Outcome outcome =
        kernbench("run --topology '" + config("one_pe") + "' --bench copy --quiet --out run --oplog run/ops.sqlite");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  // Shell: runs `commands` while the server of $1 is there; the outcome is the server's.
  Outcome while_served(const std::string& arguments, const std::string& commands) const {
    write("served", "");
    write("serve.sh", std::string("'") + KB_PROGRAM_FOLDER + "/kernbench' web " + arguments +
                          " --no-open > served & server=$!\n"
                          "until grep -q 'Ctrl-C' served || ! kill -0 $server 2>/dev/null; do sleep 0.05; done\n"
                          "url=$(grep -o 'http:[^ ]*' served)\n" +
                          commands + "\nkill -INT $server 2>/dev/null\nwait $server\n");
    return kernbench("--version > /dev/null; bash serve.sh");
  }
  Outcome refused(const std::string& folder_name) const {
    Outcome outcome = kernbench("web " + folder_name + " --port 0 --no-open", "timeout 60");
    EXPECT_EQ(outcome.code, 2) << folder_name;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("kernbench web: error: "));
    return outcome;
  }
  // A run whose operations are `content`, or what `sql` makes of those of the good run.
  std::string with_ops(const std::string& content) const {
    fs::create_directories(folder() + "/bad");
    fs::copy_file(folder() + "/run/result.json", folder() + "/bad/result.json", fs::copy_options::overwrite_existing);
    write("bad/ops.sqlite", content);
    return "bad";
  }
  std::string with_sql(const std::string& sql) const {
    with_ops(read("run/ops.sqlite"));
    const std::string command = "sqlite3 '" + folder() + "/bad/ops.sqlite' \"" + sql + "\"";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return "bad";
  }
};

TEST_F(WebCommandTest, ServesUntilCtrlC) {
  const std::vector<std::string> before = files();
  const std::string ask =
      "ask() { exec 3<>/dev/tcp/127.0.0.1/$port; "
      "printf 'GET %s HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\n\\r\\n' \"$1\" $port >&3; cat <&3; }\n";
  const Outcome outcome = while_served(
      "run --port 0", "port=${url#*1:}; port=${port%%/*}\n" + ask + "ask \"/?${url#*\\?}\" > page; ask / > stranger");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(read("served"), HasSubstr("The run of 'run' is shown at http://127.0.0.1:"));
  EXPECT_THAT(read("page"), HasSubstr("<title>kernbench</title>"));
  EXPECT_THAT(read("stranger"), testing::StartsWith("HTTP/1.1 403"));
  for (const std::string& file : files()) {
    if (file.rfind("run/", 0) == 0) {
      EXPECT_THAT(before, testing::Contains(file)) << "the folder of the run is only read";
    }
  }
}

TEST_F(WebCommandTest, WithoutABrowserTheAddressIsEnough) {
  write("served", "");
  write("serve.sh", std::string("'") + KB_PROGRAM_FOLDER +
                        "/kernbench' web run --port 0 > served & server=$!\n"
                        "until grep -q 'Ctrl-C' served || ! kill -0 $server 2>/dev/null; do sleep 0.05; done\nkill "
                        "-TERM $server\nwait $server\n");
  const Outcome outcome =
      kernbench("--version > /dev/null; env -u DISPLAY -u WAYLAND_DISPLAY -u BROWSER bash serve.sh");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(read("served"), HasSubstr("No browser was found: open the address in one."));
}

TEST_F(WebCommandTest, APortInUseIsOneError) {
  const Outcome outcome = while_served(
      "run --port 0", std::string("port=${url#*1:}; '") + KB_PROGRAM_FOLDER +
                          "/kernbench' web run --no-open --port \"${port%%/*}\" > second 2>&1; echo $? > code");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(read("code"), "2\n");
  EXPECT_THAT(read("second"), HasSubstr("another program has it; give another one with --port, or 0 for any free one"));
}

TEST_F(WebCommandTest, WithoutItsLibraryOfTheServer) {
  fs::create_directories(folder() + "/alone/bin");
  fs::copy_file(KB_PROGRAM_FOLDER "/kernbench", folder() + "/alone/bin/kernbench");
  const fs::path place = fs::path(KB_KERNBENCH_HTTP).lexically_relative(KB_PROGRAM_FOLDER);
  const std::string library = (fs::canonical(folder()) / "alone/bin" / place).lexically_normal().string();
  const auto web_alone = [&] {
    return kernbench("--version > /dev/null; timeout 60 alone/bin/kernbench web run --port 0 --no-open");
  };
  Outcome outcome = web_alone();
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "kernbench web: error: the server of the page cannot be loaded: there is no '" + library +
                             "'; it is installed beside kernbench, so build or install both again\n");
  fs::create_directories(fs::path(library).parent_path());
  std::ofstream(library) << "no library";
  outcome = web_alone();
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the server of the page cannot be loaded: " + library + ": "));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST_F(WebCommandTest, OnlyServingLoadsTheLibrariesOfTheServer) {
  const Outcome outcome = kernbench("--version", "LD_TRACE_LOADED_OBJECTS=1");
  EXPECT_THAT(outcome.out, HasSubstr("libsqlite3"));
  for (const char* library : {"libmicrohttpd", "libgnutls"}) {
    EXPECT_THAT(outcome.out, Not(HasSubstr(library)));
  }
}

TEST_F(WebCommandTest, AFolderThatIsNoneOfARun) {
  EXPECT_THAT(refused("nothing").err, HasSubstr("'nothing' is not a folder"));
  EXPECT_THAT(refused("run/result.json").err, HasSubstr("is not what `kernbench topology --json` prints"));
  fs::create_directories(folder() + "/empty");
  EXPECT_THAT(refused("empty").err, HasSubstr("it has no result.json"));
  fs::create_directories(folder() + "/odd");
  write("odd/result.json", "{\"launches\": []}");
  EXPECT_THAT(refused("odd").err, HasSubstr("result.json: is not the result of a run"));
  write("odd/result.json", "{\"schema\": 2, \"version\": \"0.5.0\", \"launches\": []}");
  EXPECT_THAT(refused("odd").err, HasSubstr("was written by kernbench 0.5.0 with schema 2, and this program reads 3"));
  write("odd/result.json", "{\"schema\": 2,");
  EXPECT_THAT(refused("odd").err, HasSubstr("result.json:1:"));
}

TEST_F(WebCommandTest, ADatabaseThatCannotBeRead) {
  const std::string good = read("run/ops.sqlite");
  EXPECT_THAT(refused(with_ops("seq\tid\n0\t1\n" + std::string(3000, 'x'))).err,
              HasSubstr("it is not a SQLite database"));
  EXPECT_THAT(refused(with_ops("")).err, HasSubstr("it is a database of another program"));
  EXPECT_THAT(refused(with_ops(good.substr(0, good.size() / 2))).err, HasSubstr("it is truncated or damaged"));
  EXPECT_THAT(refused(with_sql("UPDATE meta SET value = 7 WHERE key = 'schema_version'")).err,
              HasSubstr("it has schema version 7, and this program reads 2; use the kernbench that wrote it"));
  EXPECT_THAT(refused(with_sql("DELETE FROM meta")).err, HasSubstr("it does not say its schema version"));
  EXPECT_THAT(refused(with_sql("ALTER TABLE op RENAME TO hidden; CREATE VIEW op AS SELECT * FROM hidden")).err,
              HasSubstr("it is a database of another program"));
  EXPECT_THAT(refused(with_sql("UPDATE op SET component_id = 99999 WHERE seq = 1")).err,
              HasSubstr("operation 1 has a component or a name that there is not"));
  fs::remove(folder() + "/bad/ops.sqlite");
  fs::create_directory(folder() + "/bad/ops.sqlite");
  EXPECT_THAT(refused("bad").err, HasSubstr("it is not a regular file"));
}

TEST_F(WebCommandTest, ARunWithoutOperationsIsShown) {
  fs::remove(folder() + "/run/ops.sqlite");
  const Outcome outcome = while_served("run --port 0", "");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(read("served"),
              HasSubstr("It has no ops.sqlite, so there is no timeline; run it with --record run in place of --out"));
}

TEST_F(WebCommandTest, TheMachineMayComeFromAFile) {
  while_served("run --port 0 --topology '" + config("one_pe") + "'", "");
  EXPECT_THAT(read("served"), Not(HasSubstr("another one")));
  while_served("run --port 0 --topology '" + config("reference") + "'", "");
  EXPECT_THAT(read("served"), HasSubstr("The topology is another one than that of the run."));
  EXPECT_EQ(kernbench("web run --port 0 --no-open --topology nothing.yaml", "timeout 60").code, 2);
  write("run/topology.json", "[]");
  EXPECT_THAT(refused("run").err, HasSubstr("topology.json: is not what `kernbench topology --json` prints"));
}

TEST_F(WebCommandTest, ComparedWithAnotherRun) {
  EXPECT_EQ(while_served("run --port 0 --against run", "").code, 0);
  EXPECT_THAT(read("served"), Not(HasSubstr("different topologies")));
  EXPECT_THAT(refused("run --against nowhere").err, HasSubstr("'nowhere' is not a folder"));
}

TEST_F(WebCommandTest, ComparedWithARunOfAnotherTopology) {
  ASSERT_EQ(kernbench("run --topology '" + config("one_cube") + "' --bench copy --quiet --record other").code, 0);
  EXPECT_EQ(while_served("run --port 0 --against other", "").code, 0);
  EXPECT_THAT(read("served"), HasSubstr("The two runs were made on different topologies: A on "));
  EXPECT_THAT(read("served"), HasSubstr("one_cube.yaml (8 PEs), B on "));
  EXPECT_THAT(read("served"), HasSubstr("Times can be compared, places cannot"));
}

// H-82l, H-82m, H-82n
TEST_F(WebCommandTest, RunsOfAFolderASweepAndAMachine) {
  fs::create_directories(folder() + "/runs/deep");
  fs::copy(folder() + "/run", folder() + "/runs/deep/run");
  EXPECT_EQ(while_served("runs --port 0", "").code, 0);
  EXPECT_THAT(read("served"), HasSubstr("The runs below 'runs' are shown at http://127.0.0.1:"));
  EXPECT_THAT(refused("runs --against run").err, HasSubstr("--against needs the folder of a run"));
  write("tiny.yaml", "workload: copy\ntopology: " + config("one_pe") +
                         "\naxes: {bytes: {set: bytes, values: [64, 128]}}\ncolumns: {ns: /sim_time_ns}\n");
  ASSERT_EQ(kernbench("sweep tiny.yaml").code, 0);
  EXPECT_EQ(while_served("sweeps/tiny --port 0", "").code, 0);
  EXPECT_THAT(read("served"), HasSubstr("The sweep of 'sweeps/tiny' is shown at"));
  write("sweeps/tiny/points.sqlite", "torn");
  EXPECT_THAT(refused("sweeps/tiny").err, HasSubstr("it is not the table of a sweep, or it is damaged"));
  EXPECT_EQ(while_served("'" + config("one_pe") + "' --port 0", "").code, 0);
  EXPECT_THAT(read("served"), HasSubstr("one_pe.yaml' is shown at"));
  EXPECT_THAT(kernbench("web nothing.yaml --no-open", "timeout 60").err, HasSubstr("there is no file 'nothing.yaml'"));
  EXPECT_THAT(kernbench("web '" + config("one_pe") + "' --against run").err, HasSubstr("are for the folder of a run"));
  write("wrong.yaml", "sips: 1");
  const Outcome wrong = kernbench("web wrong.yaml --no-open", "timeout 60");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, Not(HasSubstr("no results"))) << "web writes none";
}

TEST_F(WebCommandTest, ARunIsConvertedForPerfetto) {
  const Outcome outcome = kernbench("convert run --perfetto trace");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(read("trace").substr(0, 1), "\n") << "the first packet of a trace";
  EXPECT_THAT(read("trace"), HasSubstr("dma_read"));
  ASSERT_EQ(kernbench("convert run --perfetto trace.pftrace.gz").code, 0);
  ASSERT_EQ(std::system(("gunzip '" + folder() + "/trace.pftrace.gz'").c_str()), 0);
  EXPECT_EQ(read("trace.pftrace"), read("trace"));
  fs::remove(folder() + "/trace");
  for (const auto& [arguments, message] : {std::pair("nowhere --perfetto trace", "'nowhere' is not a folder"),
                                           std::pair("run --perfetto nowhere/trace", "nowhere/trace"),
                                           std::pair("run --perfetto run/ops.sqlite", "give each a file of its own"),
                                           std::pair("run", "--perfetto is required")}) {
    const Outcome refused = kernbench(std::string("convert ") + arguments);
    EXPECT_EQ(refused.code, 2) << arguments;
    EXPECT_THAT(refused.err, HasSubstr(message));
    EXPECT_FALSE(fs::exists(folder() + "/trace"));
  }
  const std::string run = "run --quiet --bench copy --topology '" + config("one_pe") + "' ";
  ASSERT_EQ(kernbench(run + "--record again --perfetto at_once").code, 0);
  ASSERT_EQ(kernbench("convert again --perfetto later").code, 0);
  EXPECT_EQ(read("at_once"), read("later"));
  EXPECT_THAT(kernbench(run + "--out plain --perfetto lonely").err, HasSubstr("add --record DIR"));
  EXPECT_THAT(kernbench(run + "--record more --perfetto more/ops.sqlite").err,
              HasSubstr("give each a file of its own"));
  EXPECT_FALSE(fs::exists(folder() + "/plain") || fs::exists(folder() + "/more")) << "refused before the run";
  const Outcome unwritable = kernbench(run + "--record early --perfetto nowhere/trace");
  EXPECT_EQ(unwritable.code, 2);
  EXPECT_THAT(unwritable.err, HasSubstr("nowhere/trace"));
  EXPECT_FALSE(fs::exists(folder() + "/early/result.json")) << "refused before the run";
  fs::remove(folder() + "/run/ops.sqlite");
  EXPECT_THAT(kernbench("convert run --perfetto trace").err,
              HasSubstr("has no ops.sqlite; run it again with --record"));
}

// H-82h
TEST_F(WebCommandTest, ARunIsWrittenAsOneFile) {
  const Outcome outcome = kernbench("report run");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "report  run/report.html\n");
  const std::string page = read("run/report.html");
  EXPECT_THAT(page, HasSubstr("<h1>copy</h1>"));
  EXPECT_THAT(page, HasSubstr("\"/api/rows\":"));
  ASSERT_EQ(kernbench("report run --out again.html").code, 0);
  EXPECT_EQ(read("again.html"), page);
  ASSERT_EQ(kernbench("report run --against run -o compared.html").code, 0);
  EXPECT_THAT(read("compared.html"), HasSubstr("<h2>Compared with another run</h2>"));
  EXPECT_THAT(kernbench("report run --against nowhere").err, HasSubstr("nowhere"));
  EXPECT_THAT(kernbench("report run --against run --out run/result.json").err,
              HasSubstr("give each a file of its own"));
  fs::remove(folder() + "/run/ops.sqlite");
  ASSERT_EQ(kernbench("report run").code, 0);
  EXPECT_THAT(read("run/report.html"), Not(HasSubstr("\"/api/rows\":")));
}

TEST_F(WebCommandTest, AReportOfTheReferenceMachineIsSmallAndHasItsPicture) {
  ASSERT_EQ(kernbench("run --quiet --record r").code, 0);
  ASSERT_EQ(kernbench("report r").code, 0);
  const std::string page = read("r/report.html");
  EXPECT_LE(page.size(), 1'000'000u);
  for (const char* text : {"<h2>Machine</h2>", "sip0.cube0 while gemm ran on sip0", "% of the time in use",
                           "<h2>Roofline</h2>", "GEMM: ", "pseudo-channels of sip0"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
}

TEST_F(WebCommandTest, AReportOfABadFolderLeavesTheOldOne) {
  write("old.html", "old");
  const auto expect_refused = [&](const std::string& arguments, const std::string& message) {
    const Outcome refused = kernbench("report " + arguments);
    EXPECT_EQ(refused.code, 2) << arguments;
    EXPECT_THAT(refused.err, HasSubstr(message));
    EXPECT_EQ(read("old.html"), "old");
  };
  expect_refused("nowhere --out old.html", "'nowhere' is not a folder");
  expect_refused(with_sql("UPDATE meta SET value = 7 WHERE key = 'schema_version'") + " --out old.html",
                 "it has schema version 7, and this program reads 2");
  expect_refused(with_sql("UPDATE activity SET data = x'ff'") + " --out old.html",
                 "the activity of the operation log is damaged");
  expect_refused(with_ops("no database") + " --out old.html", "bad/ops.sqlite");
  expect_refused("run --out nowhere/x.html", "nowhere/x.html");
  expect_refused("run --out run/result.json", "give each a file of its own");
}

// H-82y, H-82z
TEST_F(WebCommandTest, DamagedResultsOfModelsEndIt) {
  write("step.json", R"({"schema": 1, "by_op": []})");
  const Outcome step = kernbench("web step.json --port 0 --no-open");
  EXPECT_EQ(step.code, 2);
  EXPECT_THAT(step.err, HasSubstr("step.json: /model is missing"));
  std::filesystem::create_directories(folder() + "/served");
  write("served/requests.csv", "");
  write("served/summary.json", R"({"program": "kernbench", "version")");
  const Outcome served = kernbench("web served --port 0 --no-open");
  EXPECT_EQ(served.code, 2);
  EXPECT_THAT(served.err, HasSubstr("served/summary.json:1:"));
  EXPECT_EQ(served.out + step.out, "");
}

TEST_F(WebCommandTest, WrongUsage) {
  EXPECT_THAT(kernbench("compare run list").err, HasSubstr("list")) << "a folder may be called as a command is";
  EXPECT_THAT(kernbench("web run --port 70000").err, HasSubstr("--port needs a whole number"));
  EXPECT_THAT(kernbench("web run another").err, HasSubstr("another"));
  EXPECT_THAT(kernbench("web --prt 5").err, HasSubstr("--port"));
}

}  // namespace
}  // namespace kb::test
