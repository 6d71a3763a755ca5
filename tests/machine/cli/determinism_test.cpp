// Equal inputs give equal bytes, and looking at a run does not change it: every workload of the catalog.
#include <gmock/gmock.h>

#include <map>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;

// Other addresses for everything the heap gives out, and other contents of fresh memory: an order or a value that came
// from either would differ from run to run.
constexpr const char* kOtherMemory =
    "MALLOC_PERTURB_=85 MALLOC_ARENA_MAX=1 MALLOC_TOP_PAD_=1234567 MALLOC_MMAP_THRESHOLD_=4096 LC_ALL=C.UTF-8";

class DeterminismTest : public CommandLineTest {
 protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    const Json list = json("list --json");
    const std::map<std::string, std::string> smaller = {
        {"gpt3-qkv", " --set model=small --set tokens=8"},
        {"matmul-composite-multi-pe", " --set m=64"},
        {"qkv-gemm-multi-pe", " --set hidden=256"},
    };
    for (const Json& workload : list["benches"]) {
      const auto found = smaller.find(workload["name"]);
      workloads_.push_back(workload["name"].get<std::string>() + (found == smaller.end() ? "" : found->second));
    }
    ASSERT_GE(workloads_.size(), 6u);
  }

  // Runs a workload and returns its op log; the result goes to `out`/result.json.
  std::string op_log(const std::string& machine, const std::string& workload, const std::string& options,
                     const std::string& out, const std::string& prefix = "") {
    const std::string file = out + ".tsv";
    const Outcome outcome = kernbench("run --quiet --topology '" + config(machine) + "' --bench " + workload + " " +
                                          options + " --details --out " + out + " --oplog " + file,
                                      prefix);
    EXPECT_EQ(outcome.code, 0) << workload << " " << options << "\n" << outcome.err;
    std::string log = read(file);
    EXPECT_NE(log, "") << workload;
    return log;
  }
  // The bytes of a result up to what was measured on the host, which is its last member.
  std::string result_bytes(const std::string& out) const {
    const std::string text = read(out + "/result.json");
    const std::size_t end = text.find("\"host\": {");
    EXPECT_NE(end, std::string::npos) << out;
    return text.substr(0, end);
  }
  Json result(const std::string& out) const {
    Json document = detailed(out);
    EXPECT_TRUE(document.contains("launches")) << out;
    return document;
  }

  std::vector<std::string> workloads_;  // with options that keep the large ones short
};

TEST_F(DeterminismTest, RepeatsAreEqualWhereverMemoryLies) {
  KB_SKIP_UNDER_SANITIZERS();
  for (const std::string& workload : workloads_) {
    const std::string first = op_log("one_cube", workload, "--data replay --vcd a.vcd", "a");
    const std::string second = op_log("one_cube", workload, "--data replay --vcd b.vcd", "b", kOtherMemory);
    EXPECT_EQ(first, second) << workload;
    EXPECT_EQ(result_bytes("a"), result_bytes("b")) << workload;
    EXPECT_EQ(read("a.vcd"), read("b.vcd")) << workload;
    EXPECT_NE(read("a.vcd"), "") << workload;
  }
}

TEST_F(DeterminismTest, RepeatsOnTheReferenceMachineAreEqual) {
  for (const char* workload : {"vector-add", "copy"}) {  // two SIPs, a rank on each
    EXPECT_EQ(op_log("reference", workload, "--data replay", "a"),
              op_log("reference", workload, "--data replay", "b", kOtherMemory));
    EXPECT_EQ(result_bytes("a"), result_bytes("b")) << workload;
  }
}

// A use that goes on when a launch ends is divided evenly over its span: with waveforms burst by burst, without them a
// piece at a time.
Json without_uses(Json result) {
  for (Json& launch : result["launches"]) launch.erase("blocks");
  return result;
}

TEST_F(DeterminismTest, DataModesAndWaveformsLeaveLogAndTimes) {
  KB_SKIP_UNDER_SANITIZERS();
  for (const std::string& workload : workloads_) {
    if (workload == "topk-routing") continue;  // has accesses that data mode off does not know (decision 0047)
    const std::string log = op_log("one_cube", workload, "--data off", "off");
    const Json off = without_uses(result("off"));
    for (const char* options : {"--data replay", "--data eager", "--data off --vcd w.vcd"}) {
      EXPECT_EQ(op_log("one_cube", workload, options, "other"), log) << workload << " " << options;
      const Json other = without_uses(result("other"));
      for (const char* member : {"sim_time_ns", "launches", "blocks", "figures"}) {
        EXPECT_EQ(other[member], off[member]) << workload << " " << options << " " << member;
      }
    }
  }
}

TEST_F(DeterminismTest, AnotherSeedIsAnotherRunButNoOtherTime) {  // shows that the comparisons above can fail
  op_log("one_cube", "gemm-single-pe", "--verify-data --seed 1 --set m=64 --set k=64 --set n=64", "one");
  op_log("one_cube", "gemm-single-pe", "--verify-data --seed 2 --set m=64 --set k=64 --set n=64", "two");
  EXPECT_NE(result_bytes("one"), result_bytes("two"));
  EXPECT_EQ(result("one")["launches"], result("two")["launches"]);
}

TEST_F(DeterminismTest, TrafficAndProbesRepeat) {
  std::string rows = "id,issue_ns,op,src,dst,bytes\n";
  for (int i = 0; i < 64; ++i) {
    rows += std::to_string(i) + "," + std::to_string(i / 8) + ",pe_" + (i % 3 == 0 ? "read" : "write") +
            ",sip0.cube0.pe" + std::to_string(i % 8) + ",0x20000" + std::to_string(10000 + 64 * i) + "," +
            std::to_string(1 + 331 * i) + "\n";
  }
  write("t.csv", rows);
  for (const std::string command : {"traffic --trace t.csv", "traffic --trace t.csv --json", "probe --json"}) {
    const std::string arguments = command + " --topology '" + config("one_cube") + "'";
    const Outcome first = kernbench(arguments), second = kernbench(arguments, kOtherMemory);
    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(first.out, second.out) << command;
    EXPECT_GT(first.out.size(), 1000u) << command;
  }
}

}  // namespace
}  // namespace kb::test
