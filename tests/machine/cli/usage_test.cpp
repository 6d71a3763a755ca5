// Wrong usage: one clear message, exit code 2, nothing on standard output, no files (design 9).
#include <gmock/gmock.h>

#include "platform/base/version.h"
#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using UsageTest = CommandLineTest;

TEST_F(UsageTest, EveryCommandHasHelpWithExamples) {
  EXPECT_THAT(kernbench("--help").out, HasSubstr("Examples:"));
  for (const char* command : {"run", "list", "probe", "topology", "check", "traffic"}) {
    const Outcome outcome = kernbench(std::string(command) + " --help");
    EXPECT_EQ(outcome.code, 0) << command;
    EXPECT_THAT(outcome.out, HasSubstr("Usage: kernbench " + std::string(command)));
    EXPECT_THAT(outcome.out, HasSubstr("Examples:\n  kernbench " + std::string(command)));
  }
}

TEST_F(UsageTest, VersionIsOneLine) {
  const Outcome outcome = kernbench("--version");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr(std::string("kernbench ") + kVersion));
  EXPECT_EQ(outcome.err, "");
}

struct Wrong {
  const char* arguments;
  const char* message;
};

void PrintTo(const Wrong& wrong, std::ostream* out) {  // the default would print pointers
  *out << wrong.arguments;
}

class WrongUsageTest : public CommandLineTest, public testing::WithParamInterface<Wrong> {};

TEST_P(WrongUsageTest, IsExplained) {
  const Outcome outcome = kernbench(GetParam().arguments);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(files(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Cases, WrongUsageTest,
    testing::Values(Wrong{"", "Usage: kernbench"}, Wrong{"rum", "did you mean 'run'?"},
                    Wrong{"--verison", "did you mean '--version'?"}, Wrong{"run --bnech x", "did you mean '--bench'?"},
                    Wrong{"run --bench gemm-sinle-pe", "did you mean 'gemm-single-pe'?"}, Wrong{"run --bench 99", "99"},
                    Wrong{"run --bench ''", "--bench is given an empty value"},
                    Wrong{"probe --topology ''", "--topology is given an empty value"},
                    Wrong{"run --seed -1", "--seed must be at least 0"},
                    Wrong{"run extra", "unexpected argument 'extra'"}, Wrong{"run --set m", "--set needs name=value"},
                    Wrong{"run --bench gemm-single-pe --set mm=4", "no such parameter"},
                    Wrong{"run --bench gemm-single-pe --set m=x", "is not a whole number"},
                    Wrong{"run --bench gemm-single-pe --set m=99999999999999999999", "does not fit 64 bits"},
                    Wrong{"run --set cube.links.router_link_bw_gsb=4", "did you mean 'router_link_bw_gbs'?"},
                    Wrong{"run --set cube.links.router_link_bw_gbs=fast", "router_link_bw_gbs"},
                    Wrong{"run --device sip:7", "sip:"}, Wrong{"run --device both", "both"},
                    Wrong{"run --data repaly", "did you mean 'replay'?"},
                    Wrong{"run --data off --verify-data", "--data off"}, Wrong{"run --vcd-filter 'x*'", "--vcd"},
                    Wrong{"run --time-limit-ns -5", "--time-limit-ns"},
                    Wrong{"run --time-limit-ns soon", "--time-limit-ns needs a number, not 'soon'"},
                    Wrong{"run --seed abc", "--seed needs a number, not 'abc'"},
                    Wrong{"run --plugin nothing.so", "nothing.so"},
                    Wrong{"run --topology nothing.yaml", "nothing.yaml"}, Wrong{"run --topology .", "directory"},
                    Wrong{"probe --case pe-local", "did you mean 'pe-local-hbm'?"}, Wrong{"check", "FILES is required"},
                    Wrong{"traffic", "--trace is required"}, Wrong{"traffic --trace nothing.csv", "nothing.csv"},
                    Wrong{"topology --json --dot", "excludes"}));

TEST_F(UsageTest, ALibraryThatIsNoPluginIsNamed) {
  const Outcome outcome = kernbench("run --plugin /lib/x86_64-linux-gnu/libm.so.6");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no kernbench plug-in"));
}

TEST_F(UsageTest, ListNamesBenchesKernelsAndParameters) {
  const nlohmann::json list = json("list --json");
  std::vector<std::string> names;
  for (const auto& bench : list["benches"]) {
    names.push_back(bench["name"]);
    EXPECT_EQ(bench["index"], names.size());  // H-71
    EXPECT_NE(bench["description"], "");
  }
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const char* name : {"copy", "gemm-multi-pe", "gemm-single-pe", "vector-add"}) {
    EXPECT_THAT(names, testing::Contains(name));
  }
  EXPECT_FALSE(list["kernels"].empty());
  EXPECT_THAT(kernbench("list").out, HasSubstr("GEMM_SINGLE_PE_M"));
}

TEST_F(UsageTest, AFullStandardOutputIsAnError) {
  const Outcome outcome = kernbench("list > /dev/full");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace kb::test
