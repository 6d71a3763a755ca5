// Products of a step of a language model on one SIP: right, without races, and how near they come to the roofs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using Json = nlohmann::json;

class ModelLinearTest : public CommandLineTest {
 protected:
  Json result(const std::string& options) {
    const Outcome outcome =
        kernbench("run --quiet --no-findings --device sip:0 --out out --bench model-linear " + options);
    EXPECT_EQ(outcome.code, 0) << options << "\n" << outcome.err;
    return Json::parse(read("out/result.json"), nullptr, false);
  }
  void is_right(const std::string& options) {
    const Json rows = result("--verify-data --check races " + options)["verification"];
    ASSERT_GE(rows.size(), 1u) << options;
    for (const Json& row : rows) EXPECT_EQ(row["status"], "ok") << options;
  }
  // Least time that 128 slices of 256 GB/s need for `weights` elements of bf16, or 128 arrays of 4096 MAC/ns for the
  // products with m tokens, over the time of the slowest PE.
  double of_memory(double weights, const std::string& options) { return 2 * weights / (128 * 256) / time(options); }
  double of_arrays(double m, double weights, const std::string& options) {
    return m * weights / (128 * 4096) / time(fmt::format("--set tokens={} {}", m, options));
  }

  double time(const std::string& options) { return result(options)["launches"][0]["pe_exec_ns"]["max"]; }
};

// K-205
TEST_F(ModelLinearTest, IsRightAndHasNoRaces) {
  is_right("--set inputs=512 --set outputs=256");
  is_right("--set inputs=520 --set outputs=250 --set tokens=3 --set data=real --set epilogue=swiglu");
  is_right("--set inputs=1000 --set outputs=333 --set tokens=130 --set data=real --set epilogue=bias --set dtype=f16");
  is_right("--set inputs=5 --set outputs=3 --set tokens=2 --set residual=no");
  is_right("--set inputs=2048 --set outputs=256 --set tokens=200 --set dtype=f32 --set norm=none --set partials=hbm");
}

constexpr const char* kPlain = " --set norm=none --set residual=no";

// Decode: layers of a 70B model, divided by 8.
TEST_F(ModelLinearTest, OneTokenIsNearTheRoofOfTheMemory) {
  EXPECT_GE(of_memory(8192 * 1280, "--set inputs=8192 --set outputs=1280"), 0.43);
  EXPECT_GE(of_memory(1024 * 8192, std::string("--set inputs=1024 --set outputs=8192") + kPlain), 0.47);
  EXPECT_GE(of_memory(8192 * 7168, "--set inputs=8192 --set outputs=3584 --set epilogue=swiglu"), 0.78);
  EXPECT_GE(of_memory(3584 * 8192, std::string("--set inputs=3584 --set outputs=8192") + kPlain), 0.71);
}

// Tiles of x and y in the TCM spare the queues at the slices of PE 0.
TEST_F(ModelLinearTest, ActivationsInTheTcmAreFaster) {
  EXPECT_GE(of_memory(1024 * 8192, std::string("--set inputs=1024 --set outputs=8192 --set activations=tcm") + kPlain),
            0.50);
}

// Prefill.
TEST_F(ModelLinearTest, ManyTokensAreNearTheRoofOfTheArrays) {
  KB_SKIP_UNDER_SANITIZERS();
  EXPECT_GE(of_arrays(512, 3584 * 8192, std::string("--set inputs=3584 --set outputs=8192") + kPlain), 0.80);
  EXPECT_GE(of_arrays(512, 1024 * 8192, std::string("--set inputs=1024 --set outputs=8192") + kPlain), 0.50);
  EXPECT_GE(of_arrays(512, 8192 * 1280, std::string("--set inputs=8192 --set outputs=1280") + kPlain), 0.33);  // K-209
}

// E-122: machines out of data sheets beside GPUs, in us. `evaluate validation --sweeps products` has more.
TEST_F(ModelLinearTest, ProductsTakeAboutAsLongAsOnAGpu) {
  struct Row {
    int tokens;
    const char* product;
    double measured;
  };
  const char* const gate_up = " --set inputs=8192 --set outputs=3584 --set epilogue=swiglu";
  const char* const down = " --set inputs=3584 --set outputs=8192";
  for (const Row& row : {Row{1, gate_up, 43.5}, Row{1, down, 22}, Row{128, gate_up, 52}, Row{128, down, 27}}) {
    const std::string options = fmt::format("--topology h100_like --set tokens={}{}", row.tokens, row.product);
    EXPECT_NEAR(time(options + kPlain) / 1000 / row.measured, 1, 0.12) << options;
  }
}

}  // namespace
}  // namespace kb::test
