// Workloads of layers on a cube: right data in every mode, and the mode moves no time stamp (P-61, H-77).
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;

struct LayerCase {
  const char* name;
  const char* options;
};
std::ostream& operator<<(std::ostream& out, const LayerCase& c) {
  return out << c.name << " " << c.options;
}

class LayerWorkloadsTest : public CommandLineTest, public testing::WithParamInterface<LayerCase> {
 protected:
  Json run(const std::string& mode) {
    const std::string workload = std::string(GetParam().name) + " " + GetParam().options;
    const Outcome outcome =
        kernbench("run --quiet --topology '" + config("one_cube") + "' --bench " + workload + " --out out " + mode);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(read("out/result.json"), nullptr, false);
  }
};

TEST_P(LayerWorkloadsTest, IsRightInEveryModeAtTheSameTimes) {
  const Json replay = run("--verify-data"), eager = run("--data eager --verify-data"), off = run("--data off");
  EXPECT_EQ(replay["ok"], true);
  EXPECT_FALSE(replay["verification"].empty());
  for (const Json& row : replay["verification"]) EXPECT_EQ(row["non_finite"], 0);
  EXPECT_EQ(replay["verification"], eager["verification"]);
  EXPECT_EQ(replay["sim_time_ns"], eager["sim_time_ns"]);
  EXPECT_EQ(replay["sim_time_ns"], off["sim_time_ns"]);
  EXPECT_EQ(replay["launches"], off["launches"]);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, LayerWorkloadsTest,
    testing::Values(LayerCase{"qkv-gemm", "--set tokens=40 --set hidden=48"},
                    LayerCase{"qkv-gemm", "--set tokens=8 --set hidden=16 --set dtype=i8"},
                    LayerCase{"qkv-gemm-multi-pe", "--set tokens=33 --set hidden=64 --set dtype=bf16"},
                    LayerCase{"gpt3-qkv", "--set model=small --set tokens=2"},
                    LayerCase{"matmul-composite-multi-pe", "--set m=64 --set k=100 --set n=70"},
                    LayerCase{"mlp", "--set tokens=64 --set hidden=32 --set inner=80"},
                    LayerCase{"mlp", "--set tokens=16 --set hidden=16 --set inner=24 --set dtype=i32"},
                    LayerCase{"elementwise", "--set rows=64 --set op=sigmoid"},
                    LayerCase{"elementwise", "--set rows=64 --set op=sub --set dtype=f32"},
                    LayerCase{"elementwise", "--set rows=64 --set op=log"},
                    LayerCase{"elementwise", "--set rows=64 --set op=sqrt --set dtype=bf16"},
                    LayerCase{"elementwise", "--set rows=64 --set op=div"},
                    LayerCase{"elementwise", "--set rows=64 --set op=gelu"},
                    LayerCase{"elementwise", "--set rows=64 --set op=rsqrt --set dtype=f32"},
                    LayerCase{"softmax", "--set rows=64 --set columns=100"},
                    LayerCase{"layernorm", "--set rows=64 --set columns=100 --set dtype=bf16"},
                    LayerCase{"layernorm", "--set rows=8 --set columns=5000 --set dtype=f32"}));

class LayerMistakesTest : public CommandLineTest {};

TEST_F(LayerMistakesTest, NameWhatDoesNotFit) {
  const auto refused = [&](const std::string& options, int code) {
    const Outcome outcome =
        kernbench("run --quiet --topology '" + config("one_cube") + "' --out out --bench " + options);
    EXPECT_EQ(outcome.code, code) << options;
    return outcome.err;
  };
  EXPECT_THAT(refused("elementwise --set op=expp", 2), testing::HasSubstr("did you mean 'exp'?"));
  EXPECT_THAT(refused("gpt3-qkv --set model=13B", 2), testing::HasSubstr("did you mean '13b'?"));
  EXPECT_THAT(refused("attention --set q_heads=3 --set kv_heads=2", 1), testing::HasSubstr("SHAPE_ERROR"));
  EXPECT_THAT(refused("softmax --set rows=8 --set columns=600000", 1), testing::HasSubstr("OUT_OF_SCRATCH"));
}

// The kernel layernorm is six passes over f32, as its page says, besides what it does once per row and per column.
class LayerPassesTest : public CommandLineTest {};

TEST_F(LayerPassesTest, LayernormTakesItsSixPasses) {  // P-41
  const Outcome outcome =
      kernbench("run --quiet --topology '" + config("one_pe") +
                "' --bench layernorm --set dtype=f32 --set rows=64 --set columns=1024 --details --out out");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json result = detailed();
  const double busy = result["blocks"]["sip0.cube0.pe0.pe_math"]["busy"]["value"];
  const double passes = busy / (64.0 * 1024.0 / 128.0);
  EXPECT_GE(passes, 6.0);
  EXPECT_LE(passes, 6.0 * 1.1);
}

}  // namespace
}  // namespace kb::test
