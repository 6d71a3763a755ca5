// Traces of whole runs: small, valid by their rules and by protoc.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/machine/cli/command_line.h"
#include "tests/unit/convert/decoded_trace.h"

namespace kb::test {
namespace {

using convert::test::decode_trace;
using convert::test::DecodedTrace;
using testing::HasSubstr;

class PerfettoCommandTest : public CommandLineTest {
 protected:
  void record(const std::string& options) const {
    const Outcome outcome = kernbench("run --quiet --record run --perfetto trace " + options);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  std::size_t output_of(const std::string& command, const std::string& counted) const {
    EXPECT_EQ(std::system(("cd '" + folder() + "' && " + command + " > text 2> errors").c_str()), 0) << read("errors");
    std::istringstream lines(read("text"));
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);) count += line.find(counted) != std::string::npos ? 1 : 0;
    return count;
  }
};

// The bar is 48 bytes, counters and lines included.
TEST_F(PerfettoCommandTest, AnOperationTakesAtMost48Bytes) {
  record("--bench stream --set calls=40000 --topology '" + config("one_pe") + "'");
  DecodedTrace trace;
  decode_trace(read("trace"), trace);
  ASSERT_EQ(trace.operations.size(), 40001u);
  EXPECT_THAT(trace.counters, testing::Contains(testing::Key("sip0.cube0.pe0.pe_dma.read")));
  const double bytes = static_cast<double>(read("trace").size()) / 40001;
  EXPECT_LE(bytes, 48) << "per operation";
  EXPECT_GT(trace.lines.size(), 39'000u) << "commands of the kernel have their line";
  EXPECT_GE(bytes, 20) << "this is less than the packets themselves take";
}

TEST_F(PerfettoCommandTest, MessagesLoadsAndLaunchesAreFlowsOfARun) {
  record("--bench ccl-allreduce --topology '" + config("one_cube") + "'");
  DecodedTrace messages;
  decode_trace(read("trace"), messages);
  std::size_t whole = 0;
  for (const auto& [id, flow] : messages.flows) {
    if (flow.steps.size() != 3) continue;
    EXPECT_EQ(std::get<2>(flow.steps[0]), "ipcq_send");
    EXPECT_EQ(std::get<2>(flow.steps[1]), "ipcq_copy");
    EXPECT_EQ(std::get<2>(flow.steps[2]), "ipcq_recv");
    EXPECT_TRUE(flow.ends);
    ++whole;
  }
  EXPECT_EQ(whole, std::count_if(messages.operations.begin(), messages.operations.end(),
                                 [](const auto& slice) { return slice.name == "ipcq_recv"; }));
  std::filesystem::remove(folder() + "/trace");
  record("--bench gemm-single-pe --topology '" + config("one_pe") + "'");
  DecodedTrace loads;
  decode_trace(read("trace"), loads);
  std::size_t used = 0, launched = 0;
  for (const auto& [id, flow] : loads.flows) {
    if (std::get<2>(flow.steps[0]) == "dma_read" && std::get<2>(flow.steps[1]) == "gemm_f16") ++used;
    if (std::get<2>(flow.steps[1]) == "since the start of the kernel") ++launched;
  }
  EXPECT_EQ(used, std::count_if(loads.operations.begin(), loads.operations.end(),
                                [](const auto& slice) { return slice.name == "dma_read"; }))
      << "this workload uses what it loads";
  EXPECT_EQ(launched, std::count_if(loads.launches.begin(), loads.launches.end(),
                                    [](const auto& slice) { return slice.name[0] == '#'; }));
}

TEST_F(PerfettoCommandTest, ProtocReadsATrace) {
  if (std::system("protoc --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "there is no protoc; install the package protobuf-compiler";
  }
  record("--bench ccl-allreduce --topology '" + config("one_cube") + "'");
  const std::string protoc = "protoc --proto_path='" KB_SOURCE_DIR
                             "/tests/unit/convert' --decode=perfetto.protos.Trace perfetto_trace.proto < trace";
  DecodedTrace trace;
  decode_trace(read("trace"), trace);
  EXPECT_EQ(output_of(protoc, "type: TYPE_SLICE_BEGIN"), trace.operations.size() + trace.launches.size());
  EXPECT_THAT(read("text"), HasSubstr("name: \"ipcq_copy\""));
  // A field that the description does not know is printed by its number.
  std::istringstream lines(read("text"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    ASSERT_FALSE(first != std::string::npos && line[first] >= '0' && line[first] <= '9') << line;
  }
}

}  // namespace
}  // namespace kb::test
