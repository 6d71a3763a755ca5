// Files that a command writes: all of them or none, and no others are touched.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::string slurp(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

class OutputFilesTest : public CommandLineTest {
 protected:
  static std::string small() { return "run --topology '" + config("one_pe") + "' --quiet "; }
  static std::string all() { return small() + "--out out --oplog s.tsv --vcd w.vcd"; }

  std::string path(const std::string& name) const { return folder() + "/" + name; }
  void write_old_files() const {
    fs::create_directories(path("out"));
    for (const char* name : {"out/inputs.json", "out/result.json", "s.tsv", "s.db", "w.vcd"}) write(name, "old");
  }
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> found;
    for (const std::string& name : files()) {
      if (!fs::is_directory(path(name))) found[name] = read(name);
    }
    return found;
  }
  void clear() const {
    for (const auto& entry : fs::directory_iterator(folder())) fs::remove_all(entry.path());
  }
  std::string in_use() const {
    for (const std::string& name : files()) {
      if (name.find(".kernbench-") != std::string::npos) return name;
    }
    return "";
  }
};

TEST_F(OutputFilesTest, NamesOfTheUserAreLeftAlone) {
  write("precious", "mine");
  for (const char* name : {"s.tsv.part", "ops.db.part", "w.vcd.part"}) write(name, "mine");
  fs::create_symlink("precious", path("link.tsv.part"));
  ASSERT_EQ(kernbench(all()).code, 0);
  ASSERT_EQ(kernbench(small() + "--out out --oplog ops.db").code, 0);
  ASSERT_EQ(kernbench(small() + "--out out --oplog link.tsv").code, 0);
  for (const char* name : {"precious", "s.tsv.part", "ops.db.part", "w.vcd.part", "link.tsv.part"}) {
    EXPECT_EQ(read(name), "mine") << name;
  }
}

TEST_F(OutputFilesTest, WritersOfOneNameDoNotMix) {
  ASSERT_EQ(kernbench(all()).code, 0);
  const std::string log = read("s.tsv");
  const std::string program = std::string(KB_PROGRAM_FOLDER) + "/kernbench " + all();
  for (int i = 0; i < 10; ++i) {
    const Outcome outcome =
        kernbench(all() + "; code=$?; wait; exit $code", "(" + program + ") & (" + program + ") & ");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(read("s.tsv"), log);
  }
}

TEST_F(OutputFilesTest, WhatAKilledRunLeftIsRemovedAndWhatIsInUseIsNot) {
  const std::string slow =
      "run --topology '" + config("one_pe") + "' --bench stream --set calls=100000000 --quiet --out out --oplog s.tsv";
  kernbench(slow, signalled_when("KILL", ".s.tsv.kernbench-*"));
  ASSERT_NE(in_use(), "");
  const std::string stale = in_use();
  for (const char* name : {".s.tsv.kernbench-0123.tmp", ".s.tsv.kernbench-0123456789abcdeX.tmp"}) write(name, "mine");
  const std::string program = std::string(KB_PROGRAM_FOLDER) + "/kernbench ";
  const std::string others = "ls .s.tsv.kernbench-*.tmp | grep -v -e -0123.tmp -e X.tmp -e " + stale;
  const Outcome outcome =
      kernbench(all(), program + slow + " & pid=$!; until " + others + " >/dev/null; do sleep 0.01; " + "done; " +
                           program + all() + "; " + others + "; kill -TERM $pid; wait $pid; ");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(".s.tsv.kernbench-"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr(stale)));
  EXPECT_THAT(contents(), testing::UnorderedElementsAre(
                              testing::Key("out/inputs.json"), testing::Key("out/result.json"), testing::Key("s.tsv"),
                              testing::Key("w.vcd"), testing::Key(".s.tsv.kernbench-0123.tmp"),
                              testing::Key(".s.tsv.kernbench-0123456789abcdeX.tmp")));
}

TEST_F(OutputFilesTest, OneFileForTwoOptionsIsRefused) {
  write("my.yaml", slurp(config("one_pe")));
  write("ccl.yaml", "defaults: {}\n");
  write("trace.csv", "id,issue_ns,op,src,dst,bytes\n1,0,host_read,host,0x2000000000,64\n");
  fs::create_symlink("my.yaml", path("link.yaml"));
  fs::create_symlink("absent", path("dangling"));
  fs::create_hard_link(path("my.yaml"), path("hard.yaml"));
  const auto before = contents();
  const std::vector<std::array<std::string, 3>> cases = {
      {"run --oplog s --vcd s", "--oplog", "--vcd"},
      {"run --oplog s --vcd ./s", "--oplog", "--vcd"},
      {"run --oplog absent --vcd dangling", "--oplog", "--vcd"},
      {"run --oplog none/../s --vcd s", "--oplog", "--vcd"},
      {"run --out o --oplog o/result.json", "--oplog", "--out"},
      {"run --out o --oplog o", "--oplog", "--out"},
      {"run --oplog results/result.json", "--oplog", "the result file"},
      {"run --topology my.yaml --oplog my.yaml", "--topology", "--oplog"},
      {"run --topology my.yaml --vcd link.yaml", "--topology", "--vcd"},
      {"run --topology my.yaml --vcd hard.yaml", "--topology", "--vcd"},
      {"run --plugin '" KB_PING_PONG_PLUGIN "' --oplog '" KB_PING_PONG_PLUGIN "'", "--plugin", "--oplog"},
      {"run --oplog ccl.yaml", "the file of collectives", "--oplog"},
      {"run --bench ccl-all-gather --set ccl=ccl.yaml --oplog ./ccl.yaml", "--set ccl", "--oplog"},
      {"run --json --oplog s > s", "--oplog", "standard output"},
      {"run --json --oplog /dev/stdout | cat", "--oplog", "standard output"},
      {"topology my.yaml --emit-mesh my.yaml", "--topology", "--emit-mesh"},
      {"traffic --topology my.yaml --trace trace.csv --out trace.csv", "--trace", "--out"},
      {"traffic --topology my.yaml --trace trace.csv --out my.yaml", "--topology", "--out"},
  };
  for (const auto& [command, first, second] : cases) {
    const Outcome outcome = kernbench(command);
    const bool piped = command.find('|') != std::string::npos;  // the exit code is that of `cat`
    EXPECT_EQ(outcome.code, piped ? 0 : 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr(first + " and " + second)) << command;
    fs::remove(path("s"));  // the shell's
    EXPECT_EQ(contents(), before) << command;
    EXPECT_FALSE(fs::exists(path("o"))) << command;
  }
}

TEST_F(OutputFilesTest, NamesThatLookLikeUrisAreNames) {
  for (const char* name : {"file:foo?mode=memory&.db", "file:other.db"}) {
    write("other.db", "mine");
    const Outcome outcome = kernbench(small() + "--out out --oplog '" + name + "'");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(read(name).rfind("SQLite format 3", 0), 0u) << name;
    EXPECT_GT(read(name).size(), 10'000u) << name;
    EXPECT_EQ(read("other.db"), "mine");
  }
}

TEST_F(OutputFilesTest, ALinkStaysAndItsFileIsReplaced) {
  fs::create_directories(path("disk"));
  write("disk/old.tsv", "old");
  fs::create_symlink("disk/old.tsv", path("s.tsv"));
  fs::create_symlink("disk/new.vcd", path("w.vcd"));
  fs::create_symlink("circle", path("circle"));
  ASSERT_EQ(kernbench(all()).code, 0);
  EXPECT_TRUE(fs::is_symlink(path("s.tsv")) && fs::is_symlink(path("w.vcd")));
  EXPECT_GT(read("disk/old.tsv").size(), 1000u);
  EXPECT_GT(read("disk/new.vcd").size(), 1000u);
  const Outcome outcome = kernbench(small() + "--out out --oplog circle");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("Too many levels of symbolic links"));
}

TEST_F(OutputFilesTest, LongNamesWork) {
  const std::string log(251, 'l'), wave(255, 'w');
  const Outcome outcome = kernbench(small() + "--out out --oplog " + log + ".tsv --vcd " + wave);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(files(), ElementsAre(log + ".tsv", "out", "out/inputs.json", "out/result.json", wave));
}

TEST_F(OutputFilesTest, StandardOutputCanBeAFile) {
  ASSERT_EQ(kernbench(all()).code, 0);
  ASSERT_EQ(kernbench(small() + "--out out --oplog /dev/stdout > t.tsv").code, 0);
  EXPECT_EQ(read("t.tsv"), read("s.tsv"));
  EXPECT_TRUE(fs::is_symlink("/dev/stdout"));
}

TEST_F(OutputFilesTest, PipesAreWrittenDirectlyAndStay) {
  ASSERT_EQ(kernbench(all()).code, 0);
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  write("pipe.part", "mine");
  ASSERT_EQ(kernbench(small() + "--out out --oplog pipe; code=$?; wait; exit $code", "cat pipe > t.tsv &").code, 0);
  EXPECT_EQ(read("t.tsv"), read("s.tsv"));
  fs::remove_all(path("out"));
  const std::string slow =
      "run --topology '" + config("one_pe") + "' --bench stream --set calls=100000000 --quiet --out out --oplog pipe";
  const Outcome closed = kernbench(slow, "head -c 1 pipe > /dev/null &");
  EXPECT_EQ(closed.code, 2);
  EXPECT_THAT(closed.err, HasSubstr("cannot write the operation log 'pipe': Broken pipe"));
  EXPECT_EQ(kernbench(slow, "cat pipe > /dev/null & timeout --preserve-status -s TERM 1").code, 130);
  EXPECT_THAT(files(), ElementsAre("out", "pipe", "pipe.part", "s.tsv", "t.tsv", "w.vcd"));
  EXPECT_EQ(read("pipe.part"), "mine");
}

TEST_F(OutputFilesTest, AFailedRunKeepsAllItsFiles) {
  EXPECT_EQ(kernbench(all() + " --time-limit-ns 2000").code, 4);
  EXPECT_THAT(files(), ElementsAre("out", "out/inputs.json", "out/result.json", "s.tsv", "w.vcd"));
}

TEST_F(OutputFilesTest, AFailureInPrintingNamesTheFilesThatAreThere) {
  const std::string loud = "run --topology '" + config("one_pe") + "' --out out --oplog s.tsv";
  const Outcome full = kernbench(loud + " --json > /dev/full");
  EXPECT_EQ(full.code, 2);
  EXPECT_THAT(full.err, HasSubstr("standard output: No space left on device; all result files were written"));
  EXPECT_THAT(files(), ElementsAre("out", "out/inputs.json", "out/result.json", "s.tsv"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(kernbench(loud + " --json > pipe", ": < pipe &").code, 128 + SIGPIPE);
}

#if !defined(__SANITIZE_ADDRESS__)  // whose library has to come before every other

class OutputFaultTest : public OutputFilesTest {
 protected:
  static std::string fault(const std::string& call, long at, const std::string& what) {
    return "LD_PRELOAD='" KB_IO_FAULT "' KB_FAULT_COUNT_FILE=../" + count_file() + " KB_FAULT_CALL=" + call +
           " KB_FAULT_AT=" + std::to_string(at) + " " + what;
  }
  static std::string count_file() { return "kb_fault_count_" + std::to_string(::getpid()); }
  void TearDown() override {
    fs::remove(fs::path(folder()).parent_path() / count_file());
    OutputFilesTest::TearDown();
  }
  long count(const std::string& call, const std::string& command) const {
    EXPECT_EQ(kernbench(command, fault(call, 0, "")).code, 0);
    long calls = 0;
    std::ifstream(fs::path(folder()).parent_path() / count_file()) >> calls;
    return calls;
  }
  static std::string to(const std::string& log) { return small() + "--out out --vcd w.vcd --oplog " + log; }
  // The command without faults; the cost on this computer is another in every run.
  void expect_new(const std::string& log) const {
    EXPECT_EQ(nlohmann::json::parse(read("out/result.json"), nullptr, false).value("ok", false), true);
    EXPECT_GT(read(log).size(), 1000u);
    EXPECT_GT(read("w.vcd").size(), 1000u);
  }
};

TEST_F(OutputFaultTest, AnyFailingCallLeavesAllFilesOrNone) {
  for (const char* log : {"s.tsv", "s.db"}) {
    for (const bool old : {false, true}) {
      for (const char* call : {"open", "write", "close", "rename", "mkdir"}) {
        clear();
        if (old) write_old_files();
        const long calls = count(call, to(log));
        for (long i = 1; i <= calls; ++i) {
          clear();
          if (old) write_old_files();
          const auto before = contents();
          const Outcome outcome = kernbench(to(log), fault(call, i, "KB_FAULT_ERRNO=" + std::to_string(ENOSPC)));
          SCOPED_TRACE(std::string(call) + " " + std::to_string(i) + " of " + std::to_string(calls) + " " + log);
          if (outcome.code == 0) {
            expect_new(log);
            EXPECT_EQ(contents().size(), old ? before.size() : 4u);
          } else {
            EXPECT_EQ(outcome.code, 2);
            EXPECT_THAT(outcome.err, HasSubstr("choose a writable"));
            EXPECT_EQ(contents(), before);
          }
        }
      }
    }
  }
}

TEST_F(OutputFaultTest, OlderContentsThatCannotBeRemovedGoWithTheNextRun) {
  write_old_files();
  const long calls = count("unlink", all());
  for (long i = 1; i <= calls; ++i) {
    write_old_files();
    EXPECT_EQ(kernbench(all(), fault("unlink", i, "")).code, 0);
  }
  EXPECT_NE(in_use(), "");
  EXPECT_EQ(kernbench(all()).code, 0);
  EXPECT_EQ(in_use(), "");
}

TEST_F(OutputFaultTest, FileSystemsThatOnlyRename) {
  for (const bool old : {false, true}) {
    clear();
    if (old) write_old_files();
    const auto result = kernbench(all(), fault("rename", 1, "KB_FAULT_ERRNO=" + std::to_string(EINVAL)));
    EXPECT_EQ(result.code, 0) << result.err;
    expect_new("s.tsv");
    EXPECT_EQ(in_use(), "");
  }
}

// At every call that changes a file: what the message says is what is there.
TEST_F(OutputFaultTest, AnInterruptAnywhereLeavesAllFilesOrNone) {
  const std::array<std::pair<int, int>, 3> ends{{{SIGINT, 130}, {SIGTERM, 130}, {SIGABRT, 3}}};
  for (const char* log : {"s.tsv", "s.db"}) {
    for (const bool old : {false, true}) {
      clear();
      if (old) write_old_files();
      const long calls = count("all", to(log));
      EXPECT_GT(calls, 10);
      for (long i = 1; i <= calls; ++i) {
        clear();
        if (old) write_old_files();
        const auto before = contents();
        const auto [signal, code] = ends[static_cast<std::size_t>(i) % ends.size()];
        const Outcome outcome = kernbench(to(log), fault("all", i, "KB_FAULT_SIGNAL=" + std::to_string(signal)));
        SCOPED_TRACE(std::to_string(i) + " of " + std::to_string(calls) + " " + log);
        EXPECT_EQ(outcome.code, code);
        if (outcome.err.find("all result files were written") != std::string::npos) {
          expect_new(log);
          EXPECT_EQ(in_use(), "");
        } else {
          EXPECT_THAT(outcome.err, HasSubstr("no result files were written"));
          EXPECT_EQ(contents(), before);
        }
      }
    }
  }
}

// The files that a large database is sorted in have a name for a moment.
TEST_F(OutputFaultTest, AnInterruptWhileSortingLeavesNoFile) {
  const Outcome outcome = kernbench(
      "run --topology '" + config("one_pe") + "' --bench stream --set calls=200000 --quiet --out out --oplog s.db",
      fault("unlink", 1, "KB_FAULT_SIGNAL=" + std::to_string(SIGTERM)));
  EXPECT_EQ(outcome.code, 130);
  EXPECT_TRUE(contents().empty());
}

TEST_F(OutputFaultTest, AnAbortLeavesNoTemporaryFile) {
  for (const int signal : {SIGABRT, SIGQUIT, SIGXCPU}) {
    const Outcome outcome =
        kernbench(all(), "ulimit -c 0; " + fault("write", 1, "KB_FAULT_SIGNAL=" + std::to_string(signal)));
    EXPECT_EQ(outcome.code, signal == SIGABRT ? 3 : 128 + signal);
    EXPECT_TRUE(contents().empty()) << signal;
  }
}

#endif

TEST_F(OutputFilesTest, AnInterruptAtARandomMomentLeavesAllFilesOrNone) {
  std::mt19937 random(20240917);
  for (int seed = 0; seed < 40; ++seed) {
    clear();
    if (seed % 2 != 0) write_old_files();
    auto before = contents();
    const std::string moment = std::to_string(1 + random() % 40);
    const Outcome outcome =
        kernbench(small() + "--out out --vcd w.vcd --oplog " + (seed % 4 < 2 ? "s.db" : "s.tsv"),
                  "timeout --preserve-status -s " + std::string(random() % 2 == 0 ? "INT" : "TERM") + " 0." +
                      std::string(3 - moment.size(), '0') + moment);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", exit code " + std::to_string(outcome.code));
    EXPECT_EQ(in_use(), "");
    if (outcome.code == 0 || outcome.err.find("all result files") != std::string::npos) {
      EXPECT_NE(read("out/result.json"), seed % 2 != 0 ? "old" : "");
    } else {
      auto after = contents();
      if (outcome.err.find("; w.vcd has the waveforms up to ") != std::string::npos) {
        EXPECT_EQ(after["w.vcd"].rfind("$version kernbench", 0), 0u);
        after.erase("w.vcd");
        before.erase("w.vcd");
      }
      EXPECT_EQ(after, before);
    }
  }
}

}  // namespace
}  // namespace kb::test
