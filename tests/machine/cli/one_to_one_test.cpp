// Whole programs on machines with a router per HBM channel (T-56, A-107).
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

const std::string kLa = " --set cube.memory_map.address_model=la";
const std::string kOneToOne = kLa + " --set cube.memory_map.hbm_mapping_mode=one_to_one";

class OneToOneTest : public CommandLineTest {
 protected:
  Json run(const std::string& machine, const std::string& options) {
    const Outcome outcome = kernbench("run --quiet --topology '" + config(machine) +
                                      "' --details --out out --oplog ops.tsv --verify-data --bench " + options);
    EXPECT_EQ(outcome.code, 0) << options << "\n" << outcome.err;
    return detailed();
  }
  static double sum(const Json& result, const std::string& block, const std::string& name) {
    double total = 0;
    for (const auto& [id, statistics] : result["blocks"].items()) {
      if (id.find(block) != std::string::npos && statistics.contains(name)) {
        total += statistics[name]["value"].get<double>();
      }
    }
    return total;
  }
};

// Kernels, workloads and the host's calls are the same; the data is verified.
TEST_F(OneToOneTest, ProgramsRunUnchanged) {
  const std::pair<const char*, const char*> programs[] = {
      {"one_pe", "matmul-composite --set m=70 --set k=130 --set n=45 --set epilogue=bias,relu"},
      {"one_cube", "gemm-multi-pe"},
      {"one_cube", "qkv-gemm-multi-pe --set tokens=32 --set hidden=64"},
      {"one_cube", "va-offset-verify --set elements_per_pe=500"},
      {"reference", "copy --set bytes=8192 --set direction=pull"},
  };
  for (const auto& [machine, workload] : programs) {
    const Json joined = run(machine, workload + kLa);
    for (const char* channels : {"4", "8", "16"}) {
      const Json split = run(machine, workload + kOneToOne + " --set cube.memory_map.hbm_channels_per_pe=" + channels);
      EXPECT_EQ(split["ok"], true) << workload;
      EXPECT_EQ(split["verification"], joined["verification"]) << workload;
      EXPECT_EQ(sum(split, "pe_dma", "read_commands"), sum(joined, "pe_dma", "read_commands")) << workload;
      EXPECT_EQ(sum(split, "pe_dma", "read_bytes"), sum(joined, "pe_dma", "read_bytes")) << workload;
      EXPECT_GT(sum(split, "pe_dma", "read_requests"), sum(joined, "pe_dma", "read_requests")) << workload;
      EXPECT_EQ(sum(split, "pe_dma", "segment_removals"), sum(split, "pe_dma", "segment_installs")) << workload;
    }
  }
}

// A-84 in a whole run: ten loads and ten stores of 64 KiB.
TEST_F(OneToOneTest, LargeAccessesTakeTheSameTime) {
  const std::string workload = "stream --set calls=20 --set elements=32768 --set blocks=2";
  const auto exec = [](const Json& result) { return result["launches"][0]["pe_exec_ns"]["max"].get<double>(); };
  const double joined = exec(run("one_pe", workload + kLa));
  EXPECT_GT(joined, 20 * 256.0);
  EXPECT_NEAR(exec(run("one_pe", workload + kOneToOne)), joined, 1e-6);
}

TEST_F(OneToOneTest, RunsAreEqual) {
  const std::string workload = "qkv-gemm-multi-pe --set tokens=32 --set hidden=64" + kOneToOne;
  const Json first = without_host(run("one_cube", workload));
  const std::string log = read("ops.tsv");
  EXPECT_FALSE(log.empty());
  EXPECT_EQ(without_host(run("one_cube", workload)), first);
  EXPECT_EQ(read("ops.tsv"), log);
  const Json eager = run("one_cube", workload + " --data eager");
  EXPECT_EQ(eager["launches"], first["launches"]);
  EXPECT_EQ(eager["blocks"], first["blocks"]);
}

TEST_F(OneToOneTest, NeedsLogicalAddresses) {
  const Outcome outcome = kernbench("run --topology '" + config("one_pe") +
                                    "' --bench stream --set cube.memory_map.hbm_mapping_mode=one_to_one");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("write address_model: la beside it"));
}

// Raw transactions have physical addresses: they take the ordinary router, at the same times.
TEST_F(OneToOneTest, ProbesAreThoseOfTheOrdinaryRouter) {
  EXPECT_EQ(json("probe --json --topology '" + config("one_cube") + "'" + kOneToOne)["cases"],
            json("probe --json --topology '" + config("one_cube") + "'" + kLa)["cases"]);
}

}  // namespace
}  // namespace kb::test
