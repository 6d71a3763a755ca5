// Machines with RTL in single places, as a user runs them; without Verilator they are refused.
#include <gmock/gmock.h>

#include <array>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;

constexpr const char* kExample = KB_SOURCE_DIR "/examples/rtl/machine.yaml";

class RtlTest : public CommandLineTest {
 protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    if (!KB_RTL_BUILT) GTEST_SKIP() << "built without Verilator";
  }
  nlohmann::json run(const std::string& machine, const std::string& options) const {
    return without_host(json("run --json --topology " + machine + " " + options));
  }
};

TEST_F(RtlTest, OneEngineAndOneRouterAreReplaced) {
  const nlohmann::json result = run(kExample, "--bench gemm-multi-pe --data eager --verify-data --set dtype=i8");
  const nlohmann::json& blocks = result.at("blocks");
  const nlohmann::json& gemm = blocks.at("sip0.cube0.pe0.pe_gemm");
  EXPECT_GT(gemm.at("rtl_cycles").at("value"), 0);
  EXPECT_EQ(gemm.at("rtl_compared").at("value"), gemm.at("commands").at("value"));  // with the operands of the run
  EXPECT_GT(blocks.at("sip0.cube0.r0c0").at("rtl_flits").at("value"), 0);
  EXPECT_FALSE(blocks.at("sip0.cube0.pe1.pe_gemm").contains("rtl_cycles"));
}

TEST_F(RtlTest, TwoRunsAreEqualAndSoAreBothGates) {
  const std::string bench = "--bench matmul-composite-multi-pe";
  const nlohmann::json first = run(kExample, bench);
  EXPECT_EQ(first, run(kExample, bench));
  std::ostringstream text;
  text << std::ifstream(kExample).rdbuf();
  std::string machine = text.str();
  const std::string depth = "fifo_depth: 4";
  machine.replace(machine.find(depth), depth.size(), depth + ", gate: off");
  const nlohmann::json off = run(write("off.yaml", machine), bench);
  EXPECT_EQ(first.at("launches"), off.at("launches"));
  EXPECT_EQ(first.at("sim_time_ns"), off.at("sim_time_ns"));
}

TEST_F(RtlTest, RandomTrafficCrossesRoutersAndMemoriesFromRtl) {
  std::ostringstream trace;
  trace << "id,issue_ns,op,src,dst,bytes\n";
  std::mt19937 random(3);
  const auto below = [&](std::uint32_t end) { return random() % end; };
  constexpr std::array<std::uint64_t, 3> kMemories{0x2000000000, 0x2180000000, 0x800000000};  // two HBM slices, SRAM
  constexpr int kRows = 400;
  for (int i = 0; i < kRows; ++i) {
    const std::uint64_t address = kMemories[below(3)] + below(1 << 20);
    trace << i << "," << below(2000) / 4.0 << (below(2) == 0 ? ",pe_read" : ",pe_write") << ",sip0.cube0.pe" << below(4)
          << ",0x" << std::hex << address << std::dec << "," << 1 + below(5000) << "\n";
  }
  const std::string machine = write("all.yaml", R"(
system: { sips: { count: 1 } }
sip: { cube_mesh: { w: 1, h: 1 } }
cube: { pe_layout: { corners: [NW, NE, SW, SE], pe_per_corner: 1 } }
replace:
  - { nodes: "sip0.cube0.r*", impl: rtl.router, attrs: { clock_ghz: 1.3 } }
  - { nodes: "sip0.cube0.hbm_ctrl.*", impl: rtl.axi_memory }
  - { nodes: sip0.cube0.sram, impl: rtl.axi_memory, attrs: { clock_ghz: 2 } }
)");
  const nlohmann::json result =
      json("traffic --json --topology " + machine + " --trace " + write("t.csv", trace.str()));
  int good = 0;
  for (const nlohmann::json& row : result.at("rows")) good += row.at("status") == "OK";
  EXPECT_EQ(good, kRows);
}

class NoRtlTest : public CommandLineTest {};

TEST_F(NoRtlTest, CheckAndRunRefuseWhatIsNotBuilt) {
  if (KB_RTL_BUILT) GTEST_SKIP() << "built with Verilator";
  for (const std::string command : {"check ", "run --bench noop --topology "}) {
    const Outcome outcome = kernbench(command + kExample);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("(install the Debian package verilator and build with cmake -DKB_RTL=ON)"));
  }
}

}  // namespace
}  // namespace kb::test
