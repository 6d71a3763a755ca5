// Machines with RTL in single places, as a user runs them; without Verilator they are refused.
#include <gmock/gmock.h>

#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::HasSubstr;

constexpr const char* kRtlExample = KB_SOURCE_DIR "/examples/rtl/machine.yaml";

class RtlTest : public CommandLineTest {
 protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    if (!KB_RTL_BUILT) GTEST_SKIP() << "built without Verilator";
  }
  nlohmann::json run(const std::string& machine, const std::string& options) const {
    return without_host(json("run --json --details --topology " + machine + " " + options));
  }
};

TEST_F(RtlTest, OneEngineAndOneRouterAreReplaced) {
  const nlohmann::json result = run(kRtlExample, "--bench gemm-multi-pe --data eager --verify-data --set dtype=i8");
  const nlohmann::json& blocks = result.at("blocks");
  const nlohmann::json& gemm = blocks.at("sip0.cube0.pe0.pe_gemm");
  EXPECT_GT(gemm.at("rtl_cycles").at("value"), 0);
  EXPECT_EQ(gemm.at("rtl_compared").at("value"), gemm.at("commands").at("value"));  // with the operands of the run
  EXPECT_GT(blocks.at("sip0.cube0.r0c0").at("rtl_flits").at("value"), 0);
  EXPECT_FALSE(blocks.at("sip0.cube0.pe1.pe_gemm").contains("rtl_cycles"));
}

// The example with more attributes of its router and its array.
std::string example_with(const std::string& router, const std::string& array = "") {
  std::ostringstream text;
  text << std::ifstream(kRtlExample).rdbuf();
  std::string machine = text.str();
  const std::string depth = "fifo_depth: 4", verify = "verify: true";
  machine.replace(machine.find(depth), depth.size(), depth + router);
  machine.replace(machine.find(verify), verify.size(), verify + array);
  return machine;
}

TEST_F(RtlTest, CheckRefusesAPinThatTheBlockDoesNotHave) {
  write("m.yaml", example_with(", busy_when: bussy"));
  const Outcome outcome = kernbench("check m.yaml");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err,
              testing::ContainsRegex("m\\.yaml:[0-9]+:[0-9]+: replace\\[[0-9]\\]\\.attrs\\.busy_when: the block "
                                     "has no pin 'bussy', which 'bussy' names \\(did you mean 'busy'"));
}

TEST_F(RtlTest, TwoRunsAreEqualAndSoAreBothGates) {
  const std::string bench = "--bench matmul-composite-multi-pe";
  const nlohmann::json first = run(kRtlExample, bench);
  EXPECT_EQ(first, run(kRtlExample, bench));
  const nlohmann::json off = run(write("off.yaml", example_with(", gate: off")), bench);
  EXPECT_EQ(first.at("launches"), off.at("launches"));
  EXPECT_EQ(first.at("sim_time_ns"), off.at("sim_time_ns"));
}

TEST_F(RtlTest, SignalsAtPinsMoveNoTimeAndTheRunEnds) {
  const std::string bench = "--bench gemm-multi-pe --set dtype=i8";
  const nlohmann::json hidden = run(kRtlExample, bench);
  const nlohmann::json shown = run(write("pins.yaml", example_with(", pins: true", ", pins: true")), bench);
  EXPECT_EQ(hidden.at("launches"), shown.at("launches"));
  EXPECT_EQ(hidden.at("sim_time_ns"), shown.at("sim_time_ns"));
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

// Values of the signals that a VCD has, by scope and name, with the times of their changes.
std::map<std::string, std::map<std::int64_t, std::uint64_t>> signals_of(const std::string& vcd) {
  std::map<std::string, std::map<std::int64_t, std::uint64_t>> signals;
  std::map<std::string, std::string> names;
  std::vector<std::string> scopes;
  std::int64_t now = 0;
  std::istringstream lines(vcd);
  for (std::string line, word, type, bits, id, name; std::getline(lines, line);) {
    std::istringstream words(line);
    words >> word;
    if (word == "$scope") {
      scopes.emplace_back(), words >> type >> scopes.back();
    } else if (word == "$upscope") {
      scopes.pop_back();
    } else if (word == "$var") {
      words >> type >> bits >> id >> name;
      for (const std::string& scope : scopes) names[id] += scope + ".";
      names[id] += name;
    } else if (word[0] == '#') {
      now = std::stoll(word.substr(1));
    } else if (word[0] == 'b') {
      words >> id;
      signals[names.at(id)][now] = std::stoull(word.substr(1), nullptr, 2);
    } else if (word[0] == '0' || word[0] == '1') {
      signals[names.at(word.substr(1))][now] = word[0] == '1' ? 1 : 0;
    }
  }
  return signals;
}

// Names of signals without the last part, where the last part is `name` and the first ones are `scope`.
std::vector<std::string> scopes_with(const std::map<std::string, std::map<std::int64_t, std::uint64_t>>& signals,
                                     const std::string& scope, const std::string& name) {
  std::vector<std::string> found;
  for (const auto& [full, changes] : signals) {
    const bool ends = full.size() > name.size() && full.compare(full.size() - name.size(), name.size(), name) == 0;
    if (ends && full.rfind(scope, 0) == 0) found.push_back(full.substr(0, full.size() - name.size()));
  }
  return found;
}

TEST_F(RtlTest, TheHeaderOfAPacketIsFoundOnBothSidesOfARouterAndAtItsPins) {
  ASSERT_EQ(kernbench(std::string("run --bench copy --quiet --topology ") + kRtlExample +
                      " --wave w.vcd --wave-detail flit --gtkw w.gtkw")
                .code,
            0);
  auto signals = signals_of(read("w.vcd"));
  const auto value = [&](const std::string& name, std::int64_t at) {
    return std::prev(signals.at(name).upper_bound(at))->second;
  };
  const std::string before = "sip0.cube0.ucie-N.conn0.to_sip0_cube0_r0c0.", router = "sip0.cube0.r0c0.";
  const std::int64_t enters = signals.at(before + "first").upper_bound(0)->first;
  std::string behind;  // the wire with the same header
  std::int64_t leaves = 0;
  for (const std::string& wire : scopes_with(signals, router + "to_", "first")) {
    for (const auto& [at, first] : signals.at(wire + "first")) {
      if (first == 0 || value(wire + "txn", at) != value(before + "txn", enters) || !behind.empty()) continue;
      behind = wire;
      leaves = at;
    }
  }
  ASSERT_EQ(behind, router + "to_sip0_cube0_hbm_ctrl_pe0.");
  EXPECT_EQ(value(behind + "valid", leaves), 1u);
  EXPECT_GT(leaves, enters);
  const std::string pins = router + "pins.";
  const std::int64_t sampled = signals.at(pins + "in_flit4_ucie-N_conn0").upper_bound(0)->first;
  const std::uint64_t header = value(pins + "in_flit4_ucie-N_conn0", sampled);
  EXPECT_EQ(header, 0x4300000000000001u);  // first, out_port 3, tag 1
  EXPECT_EQ(value(pins + "in_valid", sampled), 1u << 4);
  EXPECT_EQ(value(pins + "out_flit3_hbm_ctrl_pe0", leaves), header);
  EXPECT_EQ(value(pins + "out_valid", leaves), 1u << 3);
  EXPECT_EQ(leaves, sampled + 1'000'000);  // behind the next edge
  EXPECT_THAT(read("w.gtkw"), HasSubstr("+{pins in_valid} sip0.cube0.r0c0.pins.in_valid[7:0]"));
}

class NoRtlTest : public CommandLineTest {};

TEST_F(NoRtlTest, CheckAndRunRefuseWhatIsNotBuilt) {
  if (KB_RTL_BUILT) GTEST_SKIP() << "built with Verilator";
  for (const std::string command : {"check ", "run --bench noop --topology "}) {
    const Outcome outcome = kernbench(command + kRtlExample);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("(install the Debian package verilator and build with cmake -DKB_RTL=ON)"));
  }
}

}  // namespace
}  // namespace kb::test
