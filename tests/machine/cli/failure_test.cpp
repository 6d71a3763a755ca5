// Runs that cannot succeed: the exit codes of H-83 and no partial file.
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

class FailureTest : public CommandLineTest {
 protected:
  std::string small() const {
    return "run --topology '" + config("one_pe") + "' --bench gemm-single-pe --set m=64 --set k=64 --set n=64 ";
  }
};

TEST_F(FailureTest, ATensorLargerThanTheMemoryIsAProgramError) {
  const Outcome outcome =
      kernbench("run --topology '" + config("one_pe") +
                "' --bench gemm-single-pe --set cube.memory_map.hbm_total_gb_per_cube=0.0009765625 --out out");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  const Json result = Json::parse(read("out/result.json"));
  EXPECT_EQ(result["ok"], false);
  EXPECT_EQ(result["error"]["code"], "ALLOCATION_ERROR");
}

TEST_F(FailureTest, TheTimeLimitEndsWithTheTableOfWhoWaitsForWhat) {
  const Outcome outcome = kernbench(small() + "--time-limit-ns 30 --out out --quiet");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("TIME_LIMIT"));
  EXPECT_THAT(outcome.err, HasSubstr("who waits"));
  EXPECT_THAT(outcome.err, HasSubstr("main program"));
  const Json result = Json::parse(read("out/result.json"));
  EXPECT_EQ(result["ok"], false);
  EXPECT_EQ(result["error"]["code"], "TIME_LIMIT");
}

TEST_F(FailureTest, ARunPastTheEndOfSimulatedTimeSaysWhatTookIt) {
  const Outcome launches = kernbench("run --bench noop --set cycles=1000000000000 --set launches=20 --topology '" +
                                     config("one_pe") + "' --out out --quiet");
  EXPECT_EQ(launches.code, 1) << launches.err;
  EXPECT_THAT(launches.err, HasSubstr("TIME_RANGE: simulated time would pass its end at 4600000000000 ns"));
  EXPECT_THAT(launches.err, HasSubstr("sip0.cube0.pe0.pe_cpu: kernel noop, tl.cycles #1"));
  const Json result = Json::parse(read("out/result.json"));
  EXPECT_EQ(result["error"]["code"], "TIME_RANGE");
  EXPECT_EQ(result["launches"][3]["pe_exec_ns"]["max"], 1000000000000);
  const Outcome gemm = kernbench("run --topology '" + config("one_pe") +
                                 "' --bench gemm-single-pe --set m=2048 --set k=2048 --set n=4096 --set "
                                 "cube.pe_template.components.pe_gemm.attrs.mac_per_ns=0.001 --out out --quiet");
  EXPECT_EQ(gemm.code, 1) << gemm.err;
  EXPECT_THAT(gemm.err, HasSubstr("the work of sip0.cube0.pe0.pe_gemm"));
}

TEST_F(FailureTest, AShapeBeyondAllAddressesIsNamed) {
  const Outcome outcome =
      kernbench("run --bench vector-add --set elements_per_pe=9223372036854775807 --out out --quiet");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--set elements_per_pe: must be at most 1099511627776, not 9223372036854775807"));
}

TEST_F(FailureTest, ALimitAfterTheEndChangesNothing) {
  EXPECT_EQ(kernbench(small() + "--time-limit-ns 1e9").code, 0);
}

TEST_F(FailureTest, AnUnwritableFolderIsFoundBeforeTheRun) {
  write("file", "x");
  for (const char* out : {"file", "file/below", "/proc/nothing"}) {
    const Outcome outcome = kernbench(small() + "--out " + out);
    EXPECT_EQ(outcome.code, 2) << out;
    EXPECT_THAT(outcome.err, HasSubstr(out));
    EXPECT_EQ(outcome.out, "");
  }
  for (const char* option : {"--vcd", "--oplog"}) {
    const Outcome outcome = kernbench(small() + option + " missing/file --out out");
    EXPECT_EQ(outcome.code, 2) << option;
    EXPECT_THAT(outcome.err, HasSubstr("missing/file"));
  }
  EXPECT_THAT(files(), testing::ElementsAre("file", "out"));
}

// A file size limit of one block stands for a full disk.
TEST_F(FailureTest, AFullDiskLeavesNoPartialFile) {
  for (const char* target : {"--out out", "--out out --vcd w.vcd", "--out out --oplog o.log"}) {
    const Outcome outcome = kernbench(small() + target, "ulimit -f 1;");
    EXPECT_EQ(outcome.code, 2) << target;
    EXPECT_THAT(outcome.err + outcome.out, HasSubstr("File too large")) << target;
    EXPECT_THAT(files(), testing::ElementsAre("out")) << target;
  }
}

TEST_F(FailureTest, AFullDiskUnderOneOutputLeavesNoOther) {
  for (const char* option : {"--vcd /dev/full", "--oplog /dev/full"}) {
    const Outcome outcome = kernbench(small() + "--out out " + option);
    EXPECT_EQ(outcome.code, 2) << option;
    EXPECT_THAT(outcome.err, HasSubstr("No space left on device")) << option;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(files(), testing::ElementsAre("out")) << option;
  }
  const Outcome outcome = kernbench(small() + "--json > /dev/full");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("standard output: No space left on device"));
}

// The run has succeeded: what it found must not depend on who listens.
TEST_F(FailureTest, AResultThatCannotBePrintedIsKeptWhole) {
  for (const char* option : {"", "--json "}) {
    const Outcome outcome = kernbench(small() + option + "--out out > /dev/full");
    EXPECT_EQ(outcome.code, 2) << option;
    EXPECT_THAT(outcome.err, HasSubstr("standard output: No space left on device"));
    EXPECT_THAT(files(), testing::ElementsAre("out", "out/inputs.json", "out/result.json"));
    EXPECT_EQ(nlohmann::json::parse(read("out/result.json"))["ok"], true);
  }
}

// Before the simulation begins or in it, whichever a second of the computer's time reaches; what waveforms keep is in
// wave_command_test.cpp.
TEST_F(FailureTest, AnInterruptLeavesNoFileAndExits130) {
  for (const char* signal : {"INT", "TERM"}) {
    const std::string wait = std::string("timeout --preserve-status -s ") + signal + " 1";
    const Outcome outcome =
        kernbench("run --topology '" + config("one_pe") +
                      "' --bench gemm-single-pe --set m=8192 --set k=8192 --set n=8192 --out out --oplog o.log",
                  wait);
    EXPECT_EQ(outcome.code, 130) << signal;
    EXPECT_THAT(outcome.err, HasSubstr("interrupted"));
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(files(), testing::ElementsAre("out"));
  }
}

TEST_F(FailureTest, FilesOfAnEarlierRunSurviveAFailure) {
  ASSERT_EQ(kernbench(small() + "--out out").code, 0);
  const std::string before = read("out/result.json");
  EXPECT_EQ(kernbench(small() + "--out out --wave w.vcd --wave-filter nothing").code, 2);
  EXPECT_EQ(read("out/result.json"), before);
}

}  // namespace
}  // namespace kb::test
