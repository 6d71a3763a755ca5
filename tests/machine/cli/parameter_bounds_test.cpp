// Integer parameters of every workload at the ends of their range and far beyond: one clear message, never a crash, a
// wrong number or a run without end.
#include <gmock/gmock.h>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

struct IntegerParameter {
  std::string workload, name;
};

class ParameterBoundsTest : public CommandLineTest {
 protected:
  std::vector<std::vector<IntegerParameter>> integers() const {  // by workload
    std::vector<std::vector<IntegerParameter>> all;
    const nlohmann::json list = json("list --json");
    for (const nlohmann::json& workload : list.at("benches")) {
      std::vector<IntegerParameter>& own = all.emplace_back();
      for (const nlohmann::json& parameter : workload.at("parameters")) {
        if (parameter.at("type") == "int") own.push_back({workload.at("name"), parameter.at("name")});
      }
      if (own.empty()) all.pop_back();
    }
    EXPECT_GE(all.size(), 30u);
    return all;
  }

  Outcome run(const std::string& workload, const std::string& settings, const std::string& machine) const {
    return kernbench("run --quiet --bench " + workload + " --topology " + config(machine) + settings);
  }
};

TEST_F(ParameterBoundsTest, WhatIsBeyondIsRefusedByNameBeforeTheRun) {
  for (const char* value : {"-2", "4611686018427387904", "9223372036854775806", "9223372036854775807"}) {
    for (const std::vector<IntegerParameter>& workload : integers()) {
      std::string settings;
      for (const IntegerParameter& parameter : workload) settings += " --set " + parameter.name + "=" + value;
      const Outcome outcome = run(workload.front().workload, settings, "one_pe");
      EXPECT_EQ(outcome.code, 2) << workload.front().workload << settings << "\n" << outcome.err;
      for (const IntegerParameter& parameter : workload) {
        EXPECT_THAT(outcome.err, HasSubstr("--set " + parameter.name + ": must be at "))
            << parameter.workload << " " << value;
      }
    }
  }
}

// 2^40 is inside the bounds of sizes; that is more than any machine has room for.
TEST_F(ParameterBoundsTest, WhatIsInsideRunsOrFailsInTheNameOfTheUser) {
  KB_SKIP_UNDER_SANITIZERS();
  for (const std::vector<IntegerParameter>& workload : integers()) {
    for (const IntegerParameter& parameter : workload) {
      for (const char* value : {"1099511627776", "0"}) {
        const std::string setting = " --set " + parameter.name + "=" + value;
        const Outcome outcome = run(parameter.workload, setting, "one_cube");
        EXPECT_THAT(outcome.code, AnyOf(0, 1, 2)) << parameter.workload << setting << "\n" << outcome.err;
        EXPECT_EQ(outcome.err.empty(), outcome.code == 0) << parameter.workload << setting << "\n" << outcome.err;
        EXPECT_EQ(outcome.err.find("runtime error"), std::string::npos) << parameter.workload << setting << outcome.err;
      }
    }
  }
}

TEST_F(ParameterBoundsTest, ProductsOfSizesAreRefusedByName) {
  const auto message = [&](const std::string& workload, const std::string& settings) {
    const Outcome outcome = run(workload, settings, "one_pe");
    EXPECT_EQ(outcome.code, 1) << workload << settings;
    return outcome.err;
  };
  const std::string most = "=1099511627776";
  EXPECT_THAT(
      message("attention", " --set q_heads" + most + " --set causal=false --set s_q" + most),
      HasSubstr("SHAPE_ERROR: rows of Q = s_q x query heads of a K/V head = 1099511627776 x 1099511627776 is beyond"));
  EXPECT_THAT(message("tp-transformer-block", " --set heads" + most + " --set head_dim" + most),
              HasSubstr("heads x head_dim = 1099511627776 x 1099511627776 is beyond"));
  EXPECT_THAT(message("gemm-single-pe", " --set m" + most + " --set k" + most), HasSubstr("larger than any memory"));
  EXPECT_THAT(message("matmul-composite", " --set tile_m" + most + " --set tile_k" + most + " --set tile_n" + most),
              HasSubstr("a tile of 1099511627776 x 1099511627776 x 1099511627776 is too large"));
  EXPECT_THAT(message("grid-linear", " --set m" + most), HasSubstr("OUT_OF_MEMORY"));
}

}  // namespace
}  // namespace kb::test
