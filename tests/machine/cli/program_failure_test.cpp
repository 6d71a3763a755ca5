// Mistakes of kernels and host programs: one message that names the place, the exit code (H-83), a complete result for
// program failures and no file else.
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::AnyOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ProgramFailureTest : public CommandLineTest {
 protected:
  Outcome faulty(const std::string& mistake, const std::string& options = "", const std::string& prefix = "") const {
    return kernbench("run --topology '" + config("one_cube") +
                         "' --plugin " KB_FAULTY_PLUGIN " --bench faulty --out out --quiet --set mistake=" + mistake +
                         " " + options,
                     prefix);
  }
  // With a host time limit, which is longer where a slow computer has not come to the mistake before.
  Outcome limited(const std::string& mistake, const std::string& place, const std::string& options = "") const {
    for (int tenths = 3;; tenths *= 5) {
      const Outcome outcome =
          faulty(mistake, options + " --oplog o.log --host-time-limit-s " + std::to_string(tenths) + "e-1");
      EXPECT_EQ(outcome.code, 4) << outcome.err;
      if (outcome.err.find(place) != std::string::npos) return outcome;
      if (tenths > 300) {
        ADD_FAILURE() << "'" << place << "' is not named: " << outcome.err;
        return outcome;
      }
    }
  }
};

struct ProgramMistake {
  const char* name;
  const char* options;
  const char* code;
  const char* message;
};
void PrintTo(const ProgramMistake& m, std::ostream* out) {
  *out << m.name;
}

// The same whether the data is computed while the kernel runs or afterwards.
constexpr const char* kNarrowStore =
    ", sip0.cube0.pe0: cast: element (2) is 128, which does not fit into i8; tl.cast(x, Dtype::i8) before keeps the "
    "low bits, a tensor of i32 holds all (in cast on "
    "sip0.cube0.pe0.pe_math";

class ProgramMistakeTest : public ProgramFailureTest, public testing::WithParamInterface<ProgramMistake> {};

TEST_P(ProgramMistakeTest, IsExplainedAndInTheResult) {
  const Outcome outcome = faulty(GetParam().name, GetParam().options);
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr(std::string("kernbench run: error: ") + GetParam().code));
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
  EXPECT_THAT(files(), ElementsAre("out", "out/inputs.json", "out/result.json"));
  const Json result = Json::parse(read("out/result.json"));
  EXPECT_EQ(result["ok"], false);
  EXPECT_EQ(result["error"]["code"], GetParam().code);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ProgramMistakeTest,
    testing::Values(
        ProgramMistake{"wrong-shapes", "", "SHAPE_ERROR", ", sip0.cube0.pe0: dot(f16 (8, 8), f16 (16, 4))"},
        ProgramMistake{"no-scratch", "", "OUT_OF_SCRATCH", "end a tl::Scratch scope earlier"},
        ProgramMistake{"outside", "", "ADDRESS_ERROR", "outside tensor 'x'"},
        ProgramMistake{"huge", "", "ALLOCATION_ERROR", "tensor 'huge'"},
        ProgramMistake{"odd-throw", "", "BENCH_ERROR", "not a std::exception"},
        ProgramMistake{"no-memory", "", "OUT_OF_MEMORY", "workload 'faulty': its data does not fit the memory"},
        ProgramMistake{"too-many-ranks", "", "SPAWN_ERROR", "100000 ranks were asked for; at most 4096 are possible"},
        ProgramMistake{"odd-kernel", "", "KERNEL_ERROR", "threw an object that is not a std::exception"},
        ProgramMistake{"standard-kernel", "", "KERNEL_ERROR", "threw an exception: the kernel is tired"},
        ProgramMistake{"unknown-argument", "", "SCHEMA_ERROR",
                       "kernel faulty_outside: there is no argument 'y'; known: x"},
        ProgramMistake{"missing-argument", "", "SCHEMA_ERROR",
                       "kernel faulty_outside: argument 'x' is missing; it takes x: tensor"},
        ProgramMistake{"argument-twice", "", "SCHEMA_ERROR", "kernel faulty_outside: argument 'x' is given twice"},
        ProgramMistake{"argument-kind", "", "SCHEMA_ERROR",
                       "kernel faulty_outside: argument 'x' must be a tensor; the number 0.5 was given"},
        ProgramMistake{"built-in-argument", "", "SCHEMA_ERROR",
                       "kernel copy: there is no argument 'element'; did you mean 'elements'?"},
        ProgramMistake{"sum-of-nothing", "--strict --data replay", "UNWRITTEN_READ", "sip0.cube0 HBM +0x0"},
        ProgramMistake{"sum-of-nothing", "--strict --data eager", "UNWRITTEN_READ", "sip0.cube0 HBM +0x0"},
        ProgramMistake{"narrow-store", "--data replay", "VALUE_ERROR", kNarrowStore},
        ProgramMistake{"narrow-store", "--data eager", "VALUE_ERROR", kNarrowStore},
        ProgramMistake{"narrow-count", "--data replay", "VALUE_ERROR",
                       ", sip0.cube0.pe0: sum: element (0) is 200, which does not fit into i8; give it an out_dtype "
                       "that holds it (in sum on sip0.cube0.pe0.pe_math"},
        ProgramMistake{"sum-of-nothing", "--verify-data", "NOTHING_VERIFIED", "'faulty'"}));

// P-100. Data mode replay finds the second one after the run.
TEST_F(ProgramFailureTest, AMistakeOfAKernelNamesTheLine) {
  const std::string line = " at faulty_plugin\\.cpp:[0-9]+, sip0\\.cube0\\.pe0: ";
  EXPECT_THAT(faulty("wrong-shapes").err, ContainsRegex("kernel faulty_wrong_shapes, tl\\.dot #3" + line + "dot"));
  EXPECT_THAT(faulty("narrow-store", "--data replay").err, ContainsRegex("tl\\.store #2" + line + "cast: element"));
}

// Equal, but no verification: a warning, which --strict does not accept.
TEST_F(ProgramFailureTest, AComparisonWithoutNumbersIsAWarning) {
  EXPECT_EQ(faulty("no-numbers", "--verify-data").code, 0);
  const Json result = Json::parse(read("out/result.json"));
  EXPECT_EQ(result["verification"][0]["non_finite"], 65536);
  ASSERT_EQ(result["warnings"].size(), 1u);
  EXPECT_THAT(result["warnings"][0].get<std::string>(), HasSubstr("x: 65536 of 65536 elements are NaN or infinite"));
  const Outcome strict = faulty("no-numbers", "--verify-data --strict");
  EXPECT_EQ(strict.code, 1);
  EXPECT_THAT(strict.err, HasSubstr("--strict does not accept warnings: x: 65536"));
}

TEST_F(ProgramFailureTest, ALostNaNIsWrong) {
  const Outcome outcome = faulty("lost-nan", "--verify-data");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("error: VERIFICATION_FAILED: wrong contents in x; the verification table"));
  const Json result = Json::parse(read("out/result.json"));
  EXPECT_EQ(result["ok"], false);
  EXPECT_EQ(result["error"]["code"], "VERIFICATION_FAILED");
  EXPECT_EQ(result["verification"][0]["status"], "wrong");
  EXPECT_EQ(result["verification"][0]["first_wrong"], (Json{{"index", {0, 5}}, {"expected", "nan"}, {"actual", 0}}));
}

TEST_F(ProgramFailureTest, AnElementWithoutBoundIsNotVerified) {
  const Outcome outcome = faulty("no-bound", "--verify-data");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("error: NOT_VERIFIED: not verified: x; the verification table"));
  const Json result = Json::parse(read("out/result.json"));
  EXPECT_EQ(result["ok"], false);
  EXPECT_EQ(result["error"]["code"], "NOT_VERIFIED");
  EXPECT_EQ(result["verification"][0]["status"], "not verified");
  EXPECT_EQ(result["verification"][0]["unverified_elements"], 1);
  EXPECT_EQ(result["verification"][0]["first_unverified"], (Json{1, 0}));
}

TEST_F(ProgramFailureTest, UnwrittenMemoryReadsAsZeroWithoutStrict) {
  EXPECT_EQ(faulty("sum-of-nothing", "--data replay").code, 0);
}

TEST_F(ProgramFailureTest, AKernelThatNeverEndsIsNamedAtTheTimeLimit) {
  const Outcome outcome = faulty("endless", "--time-limit-ns 1e5");
  EXPECT_EQ(outcome.code, 4);
  for (const char* part : {"TIME_LIMIT", "who waits", "host: main program", "host: launch #10 of kernel faulty_endless",
                           "waiting for 1 of 8 PEs: pe3", "sip0.cube0.pe3.pe_cpu: kernel faulty_endless, tl.cycles"}) {
    EXPECT_THAT(outcome.err, HasSubstr(part));
  }
  // The launch is one line: not once as the host's request and once as the endpoint's.
  EXPECT_THAT(outcome.err, Not(HasSubstr("response of message")));
  const Json launch = Json::parse(read("out/result.json"))["launches"][0];
  EXPECT_EQ(launch["error"]["code"], "TIMEOUT");
  EXPECT_THAT(launch["error"]["message"].get<std::string>(),
              HasSubstr("sip0.cube0.m_cpu: waiting for 1 of 8 PEs: pe3"));
  EXPECT_TRUE(launch["completed_ns"].is_null());
  EXPECT_EQ(Json::parse(read("out/result.json"))["sim_time_ns"], 1e5);
}

// H-83b. The bound counts calls, so that it depends on no computer.
TEST_F(ProgramFailureTest, AKernelThatCallsWithoutEndInNoTimeIsNamed) {
  const Outcome outcome = faulty("spin");
  EXPECT_EQ(outcome.code, 4);
  for (const char* part : {"NO_PROGRESS: no simulated time passes any more at 718.040022 ns: sip0.cube0.pe3.pe_cpu is "
                           "in kernel faulty_spin, tl.cycles #10000000 at ",
                           ": 10000000 calls at this time", "who waits", "host: launch #10 of kernel faulty_spin"}) {
    EXPECT_THAT(outcome.err, HasSubstr(part));
  }
  EXPECT_THAT(outcome.err, Not(HasSubstr("Deadlock")));
  const Json result = Json::parse(read("out/result.json"));
  EXPECT_EQ(result["ok"], false);
  EXPECT_EQ(result["error"]["code"], "NO_PROGRESS");
  EXPECT_EQ(result["launches"][0]["error"]["code"], "TIMEOUT");
  EXPECT_EQ(result["warnings"].size(), 0u);
}

TEST_F(ProgramFailureTest, TheTimeLimitIsNoticedByAKernelThatCallsInNoTime) {
  const Outcome outcome = faulty("spin", "--time-limit-ns 718.040022");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("TIME_LIMIT: the time limit was reached at 718.040022 ns"));
  EXPECT_THAT(outcome.err, HasSubstr("in kernel faulty_spin, tl.cycles #"));
}

// H-83a. Code that calls the simulator ends in the ordinary way, whether simulated time passes or not.
TEST_F(ProgramFailureTest, TheHostTimeLimitEndsARunWithItsResult) {
  for (const std::string mistake : {"endless", "creep"}) {
    const Outcome outcome = limited(mistake, "sip0.cube0.pe3.pe_cpu: kernel faulty_" + mistake + ", tl.cycles #");
    EXPECT_THAT(outcome.err, HasSubstr("HOST_TIME_LIMIT: the host time limit of "));
    EXPECT_THAT(outcome.err, HasSubstr(" ns of simulated time with work outstanding"));
    EXPECT_THAT(files(), ElementsAre("o.log", "out", "out/inputs.json", "out/result.json"));
    const Json result = Json::parse(read("out/result.json"));
    EXPECT_EQ(result["ok"], false);
    EXPECT_EQ(result["error"]["code"], "HOST_TIME_LIMIT");
    EXPECT_EQ(result["warnings"].size(), 0u);
  }
}

TEST_F(ProgramFailureTest, AHostTimeLimitThatPassesBeforeTheSimulationEndsItAtOnce) {
  const Outcome outcome = faulty("endless", "--host-time-limit-s 0.001");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("HOST_TIME_LIMIT: the host time limit of 0.001 s was reached at "));
  EXPECT_EQ(Json::parse(read("out/result.json"))["error"]["code"], "HOST_TIME_LIMIT");
}

// What never calls the simulator cannot be unwound: the process ends without result files.
TEST_F(ProgramFailureTest, TheHostTimeLimitEndsWhatNeverCallsTheSimulator) {
  struct Place {
    const char* mistake;
    const char* place;
    const char* state;
  };
  for (const auto& [mistake, place, state] :
       {Place{"busy", "in kernel faulty_busy on sip0.cube0.pe", ", at 1218.040022 ns"},
        Place{"busy-workload", "in the workload (main program)", ", at 0 ns"}}) {
    const Outcome outcome = limited(mistake, place, "--vcd w.vcd");
    EXPECT_THAT(outcome.err, HasSubstr(state));
    EXPECT_THAT(outcome.err, HasSubstr(" s was reached and the process did not react: "));
    EXPECT_THAT(outcome.err, HasSubstr("no result files were written"));
    EXPECT_THAT(files(), ElementsAre("out"));
  }
}

TEST_F(ProgramFailureTest, TheHostTimeLimitCoversTheLoadingOfAPlugIn) {
  const Outcome outcome = faulty("endless", "--host-time-limit-s 0.1", "KB_FAULTY_ENTRY=busy-workload");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("in the plug-in "));
}

TEST_F(ProgramFailureTest, AHostTimeLimitThatIsNotReachedChangesNothing) {
  const std::string run = "run --topology '" + config("one_cube") + "' --bench copy --json";
  EXPECT_EQ(without_host(json(run)), without_host(json(run + " --host-time-limit-s 1e6")));
}

TEST_F(ProgramFailureTest, AWaitThatNothingEndsIsNoProgress) {
  const Outcome outcome = faulty("nobody-answers");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("NO_PROGRESS: nothing can happen any more"));
  EXPECT_THAT(outcome.err, HasSubstr("a signal that nobody gives"));
}

// Also while a kernel computes without ever giving control back.
TEST_F(ProgramFailureTest, AnInterruptEndsAnyKernel) {
  for (const char* signal : {"INT", "TERM"}) {
    const Outcome outcome =
        faulty("busy", "--oplog o.log --vcd w.vcd", std::string("timeout --preserve-status -s ") + signal + " 1");
    EXPECT_EQ(outcome.code, 130) << signal;
    EXPECT_THAT(outcome.err, HasSubstr("interrupted, no result files were written; w.vcd has the waveforms up to "));
    EXPECT_THAT(files(), ElementsAre("out", "w.vcd"));
  }
}

TEST_F(ProgramFailureTest, ADefectFoundInAKernelThreadIsNoFailedLaunch) {
  const Outcome outcome = faulty("defect");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("sip0.cube0.pe0.pe_cpu at "));
  EXPECT_THAT(outcome.err, HasSubstr("in kernel faulty_defect: an invariant does not hold"));
  EXPECT_THAT(files(), ElementsAre("out"));
}

TEST_F(ProgramFailureTest, AStackOverflowLeavesNoPartialFile) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer reports it";
#endif
  const Outcome outcome = faulty("deep", "--oplog o.log --vcd w.vcd");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err,
              HasSubstr("the process crashed, in kernel faulty_deep on sip0.cube0.pe0.pe_cpu: an invalid"));
  EXPECT_THAT(outcome.err, HasSubstr("more than its stack"));
  EXPECT_THAT(outcome.err, HasSubstr("no result files were written; w.vcd has the waveforms up to "));
  EXPECT_THAT(files(), ElementsAre("out", "w.vcd"));
}

// Without a handler the first two would look like a success that has lost its result.
TEST_F(ProgramFailureTest, CodeThatEndsTheProcessFailsTheRun) {
  const std::pair<const char*, const char*> cases[] = {{"exit", "called exit()"},
                                                       {"exit-kernel", "called exit()"},
                                                       {"quick-exit", "called exit()"},
                                                       {"terminate", "std::terminate was called"},
                                                       {"thread-throws", "plug-in: nobody catches this"}};
  for (const auto& [mistake, message] : cases) {
    const Outcome outcome = faulty(mistake, "--oplog o.log --vcd w.vcd");
    EXPECT_EQ(outcome.code, 1) << mistake;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << mistake;
    EXPECT_THAT(outcome.err, HasSubstr("no result files were written")) << mistake;
    EXPECT_THAT(files(), AnyOf(ElementsAre("out"), ElementsAre("out", "w.vcd"))) << mistake;
    if (mistake == std::string("exit-kernel")) {
      EXPECT_THAT(outcome.err, HasSubstr("w.vcd has the waveforms up to "));
    }
  }
}

// H-83c
TEST_F(ProgramFailureTest, ACrashNamesTheCodeThatRan) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer reports it";
#endif
  struct Crash {
    const char* mistake;
    const char* message;
  };
  for (const auto& [mistake, message] :
       {Crash{"abort", "in the workload (main program): abort() was called"},
        Crash{"abort-kernel", "in kernel faulty_abort_kernel on sip0.cube0.pe0.pe_cpu, after tl.load #1 at "},
        Crash{"null-kernel", "in kernel faulty_null_kernel on sip0.cube0.pe0.pe_cpu, after tl.load #1 at "},
        Crash{"divide-kernel", "in kernel faulty_divide_kernel on sip0.cube0.pe0.pe_cpu: an arithmetic error"}}) {
    const Outcome outcome = faulty(mistake, "--oplog o.log --vcd w.vcd");
    EXPECT_EQ(outcome.code, 3) << mistake;
    EXPECT_THAT(outcome.err, HasSubstr(std::string("kernbench: error: the process crashed, ") + message));
    EXPECT_THAT(outcome.err, HasSubstr("; no result files were written")) << mistake;
    if (mistake == std::string("abort")) {  // before anything has happened
      EXPECT_THAT(files(), ElementsAre("out"));
      continue;
    }
    EXPECT_THAT(outcome.err, HasSubstr("; w.vcd has the waveforms up to ")) << mistake;
    EXPECT_THAT(files(), ElementsAre("out", "w.vcd")) << mistake;
  }
}

class PluginFailureTest : public CommandLineTest {
 protected:
  Outcome load(const std::string& file, const std::string& prefix = "") const {
    return kernbench("list --plugin " + file, prefix);
  }
  static void expect_refused(const Outcome& outcome, const std::string& message) {
    EXPECT_EQ(outcome.code, 2) << message;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
};

TEST_F(PluginFailureTest, WhatItThrowsWhileLoadingIsItsMistake) {
  expect_refused(load(KB_FAULTY_PLUGIN, "KB_FAULTY_ENTRY=odd"), "with an exception that is not a std::exception");
  expect_refused(load(KB_FAULTY_PLUGIN, "KB_FAULTY_ENTRY=standard"), "failed while it was loaded: no licence");
  expect_refused(load(KB_FAULTY_PLUGIN, "KB_FAULTY_ENTRY=memory"), "not enough memory for loading the plug-in");
  const Outcome ended = load(KB_FAULTY_PLUGIN, "KB_FAULTY_ENTRY=exit");
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, HasSubstr("called exit()"));
}

TEST_F(PluginFailureTest, ParametersWithoutHelpAreRefusedAllAtOnce) {
  const Outcome outcome = load(KB_FAULTY_PLUGIN, "KB_FAULTY_ENTRY=no-help");
  expect_refused(outcome, "'silent': parameter 'first' has no help text; parameter 'second' has no help text\n");
  expect_refused(outcome, "'silent-too': parameter 'third' has no help text\n");
  expect_refused(outcome, "2 problems found");
}

TEST_F(PluginFailureTest, ALibraryThatIsGivenTwiceIsRefused) {
  const std::string file = KB_PING_PONG_PLUGIN;
  expect_refused(load(file + " --plugin again.so", "ln -s " + file + " again.so;"),
                 "again.so: the plug-in is given twice (give it once)");
}

TEST_F(PluginFailureTest, AMissingSymbolIsNamedAsInTheSource) {
  const std::string build = "echo 'int lost(int); int found = lost(1);' | c++ -shared -fPIC -x c++ - -o part.so;";
  expect_refused(load("part.so", build),
                 "part.so: the plug-in cannot be loaded: undefined symbol: lost(int) (is its source ");
}

TEST_F(PluginFailureTest, AnOddVersionIsRefused) {
  expect_refused(load(KB_ODD_PLUGIN, "KB_ODD_ABI=null"), "was built for nothing that it names");
  expect_refused(load(KB_ODD_PLUGIN, "KB_ODD_ABI=throw"), "with an exception that is not a std::exception");
  expect_refused(load(KB_ODD_PLUGIN, "KB_ODD_ABI=old"), "was built for kernbench 0.0.1\\x1b[31m, this is");
}

// The loader itself would end the process.
TEST_F(PluginFailureTest, ALibraryThatIsCutOffIsRefused) {
  for (const char* share : {"2", "10", "100"}) {
    const std::string cut = std::string("head -c $(($(stat -c %s ") + KB_FAULTY_PLUGIN + ") - $(stat -c %s " +
                            KB_FAULTY_PLUGIN + ") / " + share + ")) " + KB_FAULTY_PLUGIN + " > cut.so;";
    expect_refused(load("cut.so", cut), "cut.so: the plug-in cannot be loaded: the file is cut off");
  }
  expect_refused(load("empty.so", ": > empty.so;"), "file too short");
  expect_refused(load("pipe.so", "mkfifo pipe.so;"), "pipe.so: this is not a regular file");
}

#ifndef __SANITIZE_ADDRESS__  // it reserves more address space than the limits leave
TEST_F(PluginFailureTest, TooLittleMemoryNamesTheStep) {
  const std::string run = "run --quiet --out out --bench vector-add --topology '" + config("large") + "'";
  const Outcome machine = kernbench(run, "ulimit -v 120000;");
  EXPECT_EQ(machine.code, 2);
  // The library of SystemC also asks for memory where no exception may leave.
  EXPECT_THAT(machine.err, testing::AnyOf(HasSubstr("not enough memory for building and simulating the machine"),
                                          HasSubstr("not enough memory to start, or for a thread")));
  const Outcome topology = kernbench(run, "ulimit -v 50000;");
  EXPECT_EQ(topology.code, 2);
  EXPECT_THAT(topology.err, HasSubstr("not enough memory for reading the topology"));
  EXPECT_THAT(files(), testing::IsSubsetOf({"out"}));
}
#endif

}  // namespace
}  // namespace kb::test
