// --log and --progress: what an engineer follows while a run lasts.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "tests/machine/cli/command_line.h"
#include "tests/support/source_file.h"

namespace kb::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class LogTest : public CommandLineTest {
 protected:
  Outcome run(const std::string& options) const {
    return kernbench("run --bench copy --out out --topology '" + config("one_pe") + "' " + options);
  }
};

TEST_F(LogTest, FollowsALoadFromTheHostToTheMemoryAndBack) {
  const Outcome outcome = run("--quiet --log '*cpu' --log '*.pe_scheduler' --log '*.pe_dma' --log '*.hbm_ctrl*'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::size_t at = 0;
  for (const char* step :
       {"sip0.io0.io_cpu gets transaction ", ", launch #4 of kernel copy (own slice) (cubes: 1)\n",
        "sip0.cube0.m_cpu sends transaction ", "pe_cpu begins kernel copy (own slice) of launch #4\n",
        "pe_cpu issues tl.load #1 of launch #4, dma_read of 64 KiB\n",
        "pe_scheduler hands tl.load #1 of launch #4 to pe_dma\n", "pe_dma begins DMA_READ of tl.load #1 of launch #4\n",
        "pe_dma sends transaction ", "hbm_ctrl.pe0 accepts transaction ", "hbm_ctrl.pe0 begins to answer transaction ",
        "pe_dma has the answer to transaction ", "pe_dma ends DMA_READ of tl.load #1 of launch #4\n",
        "pe_cpu continues after tl.load #1 of launch #4\n", "pe_cpu ends kernel copy (own slice) of launch #4: ok\n",
        "sip0.cube0.m_cpu answers transaction ", "sip0.io0.io_cpu answers transaction "}) {
    const std::size_t found = outcome.err.find(step, at);
    ASSERT_NE(found, std::string::npos) << step << " is not behind " << outcome.err.substr(0, 2000);
    at = found;
  }
  EXPECT_THAT(outcome.err, Not(HasSubstr("header")));
}

// The lines that the guide shows are what its command prints, next to each other.
TEST_F(LogTest, TheGuideShowsWhatIsPrinted) {
  const std::string guide = source_file("docs/guides/log.md");
  const std::string begin = "kernbench run --bench copy --topology configs/one_pe.yaml ";
  const std::size_t command = guide.find(begin);
  ASSERT_NE(command, std::string::npos);
  const std::size_t options = command + begin.size();
  const Outcome outcome = run(guide.substr(options, guide.find('\n', options) - options));
  EXPECT_EQ(outcome.code, 0);
  const std::size_t lines = guide.find("```\n    6", options) + 4;
  const std::string shown = guide.substr(lines, guide.find("```", lines) - lines);
  EXPECT_GE(std::count(shown.begin(), shown.end(), '\n'), 12);
  EXPECT_THAT(outcome.err, HasSubstr(shown));
}

TEST_F(LogTest, NamesTheTilesOfACompositeAndMessages) {
  const Outcome composite =
      kernbench("run --bench matmul-composite --quiet --log '*.pe_scheduler' --log '*.pe_gemm:debug'");
  EXPECT_EQ(composite.code, 0) << composite.err;
  EXPECT_THAT(composite.err, AllOf(HasSubstr("pe_scheduler splits tl.composite #"),
                                   HasSubstr("pe_gemm begins GEMM of tile 0 of tl.composite #"),
                                   HasSubstr("pe_scheduler has all tiles of tl.composite #")));
  const Outcome queues = kernbench("run --bench ccl-allreduce --quiet --log 'sip0.cube0.pe0.pe_ipcq'");
  EXPECT_EQ(queues.code, 0) << queues.err;
  EXPECT_THAT(queues.err,
              AllOf(HasSubstr("pe_ipcq sends message 0 of 16 B in direction 'E' to sip0.cube1.pe0 for tl.send #"),
                    HasSubstr("pe_ipcq has message 0 of 16 B from sip0.cube1.pe0 in direction 'E'\n"),
                    HasSubstr("pe_ipcq has received 16 B for tl.recv #")));
}

TEST_F(LogTest, MovesNoTimeAndLeavesTheResultAlone) {
  EXPECT_EQ(run("--quiet").code, 0);
  const nlohmann::json without = without_host(nlohmann::json::parse(read("out/result.json")));
  const Outcome logged = run("--json --log '*:debug' --log-file log.txt");
  EXPECT_EQ(logged.err, "");
  EXPECT_EQ(without_host(nlohmann::json::parse(logged.out)), without);
  EXPECT_THAT(read("log.txt"), AllOf(HasSubstr("will get the header of transaction"), HasSubstr(" ns  sip0.")));
}

// P-92
TEST_F(LogTest, EqualRunsTellTheSameInTheSameOrder) {
  std::string reported[2];
  for (std::string& log : reported) {
    const Outcome outcome = kernbench("run --bench matmul-composite --quiet --log 'sip0.cube0.pe0.*:debug'");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    log = outcome.err;
  }
  EXPECT_EQ(reported[0], reported[1]);
  for (const char* event : {"tl.composite #", "pe_scheduler splits", "pe_gemm begins GEMM of tile",
                            "pe_gemm ends GEMM of tile", "pe_scheduler has all tiles"}) {
    EXPECT_THAT(reported[0], HasSubstr(event));
  }
}

TEST_F(LogTest, HeadersNameTheCallOfAKernelAndTheMessage) {
  const Outcome copy = kernbench("run --bench copy --topology '" + config("one_pe") +
                                 "' --quiet --log '*.hbm_ctrl.pe0:debug' --log '*.pe0.pe_dma:debug'");
  EXPECT_THAT(copy.err, AllOf(HasSubstr(" read of 64 KiB at 0x2000010000 by sip0.cube0.pe0.pe_dma (tl.load #1 of "
                                        "launch #4), at 618.640024 ns\n"),
                              HasSubstr("will get the header of the answer to transaction 10, ")));
  const Outcome messages = kernbench("run --bench ccl-allreduce --quiet --log 'sip0.cube1.pe0.pe_dma:debug'");
  EXPECT_THAT(messages.err, HasSubstr(" (message 0 of sip0.cube0.pe0), at "));
}

TEST_F(LogTest, TrafficAndProbeHaveItToo) {
  write("t.csv", "id,issue_ns,op,src,dst,bytes\na,0,pe_read,sip0.cube0.pe0,0x2000000000,512\n");
  const Outcome traffic =
      kernbench("traffic --trace t.csv --topology '" + config("one_pe") + "' --log '*.hbm_ctrl*' --log-file l.txt");
  EXPECT_EQ(traffic.code, 0) << traffic.err;
  EXPECT_THAT(read("l.txt"), HasSubstr("accepts transaction 0, read of 512 B at 0x2000000000"));
  const Outcome probe =
      kernbench("probe --case pe-local-hbm --topology '" + config("one_pe") + "' --log '*.hbm_ctrl*'");
  EXPECT_EQ(probe.code, 0) << probe.err;
  EXPECT_THAT(probe.err, HasSubstr("accepts transaction 0, read of 32 KiB"));
}

TEST_F(LogTest, MistakesAreExplainedAndNothingIsRun) {
  const std::pair<const char*, const char*> cases[] = {
      {"--log sip0.cube0.pe0.pe_dam", "did you mean 'sip0.cube0.pe0.pe_dma'?"},
      {"--log '*.pe_dma:debgu'", "did you mean 'debug'?"},
      {"--log 'zzz*'", "matches no block of this machine"},
      {"--log-file l.txt", "--log-file needs --log PATTERN"},
      {"--log '*' --log-file out/result.json", "--log-file"},
      {"--quiet --progress", "--progress and --quiet exclude each other"}};
  for (const auto& [options, message] : cases) {
    const Outcome outcome = run(options);
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << options;
    EXPECT_EQ(outcome.out, "") << options;
    EXPECT_TRUE(files().empty()) << options;
  }
}

TEST_F(LogTest, AFileThatCannotBeWrittenLeavesNothingBehind) {
  const Outcome outcome = run("--log '*' --log-file missing/l.txt");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("missing/l.txt"), HasSubstr("the log file")));
  EXPECT_THAT(files(), Not(testing::Contains("out/result.json")));
}

// Asks as soon as output files are open, until the run has ended.
TEST_F(LogTest, AnswersASignal) {
  const std::string ask =
      "sh -c '\"$@\" & pid=$!; until ls out/.result.json.kernbench-* >/dev/null 2>&1 || ! kill -0 $pid 2>/dev/null; do "
      "sleep 0.01; "
      "done; "
      "while kill -s USR1 $pid 2>/dev/null; do sleep 0.05; done; wait $pid' sh";
  const Outcome asked = kernbench("run --bench gemm-multi-pe --set k=1024 --set n=1024 --out out --json", ask);
  EXPECT_EQ(asked.code, 0) << asked.err;
  EXPECT_THAT(asked.err, AllOf(HasSubstr("progress: simulated "), HasSubstr(" launches, "), HasSubstr("per second")));
  EXPECT_EQ(nlohmann::json::parse(asked.out)["ok"], true);
}

// A short run says nothing by itself.
TEST_F(LogTest, IsSilentWithoutAQuestion) {
  EXPECT_EQ(run("--json").err, "");
}

}  // namespace
}  // namespace kb::test
