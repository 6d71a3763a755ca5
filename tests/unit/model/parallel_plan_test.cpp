#include "platform/model/parallel_plan.h"

#include <gmock/gmock.h>

#include "platform/base/error.h"
#include "tests/unit/model/tiny_models.h"

namespace kb::model {
namespace {

using testing::HasSubstr;

std::string problem(const std::string& family, const ParallelPlan& plan) {
  try {
    check_plan(tiny_model(family), plan);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ParallelPlan, NumbersHaveToDivide_M15) {
  EXPECT_EQ(problem("llama", {8, 2, 1, 1}), "");
  EXPECT_THAT(problem("llama", {3, 1, 1, 1}), HasSubstr("--tp 3 does not divide 8 attention heads (use --tp 2)"));
  EXPECT_THAT(problem("llama", {3, 1, 1, 1}), HasSubstr("neither divides the 4 K/V heads nor is a multiple of them"));
  EXPECT_THAT(problem("llama", {8, 4, 1, 1}), HasSubstr("are 32 SIPs (a tray has at most 16)"));
  EXPECT_THAT(problem("llama", {1, 8, 1, 1}), HasSubstr("--pp 8 has more stages than the model layers"));
  EXPECT_THAT(problem("llama", {2, 1, 2, 1}), HasSubstr("has no experts"));
  EXPECT_EQ(problem("mixtral", {2, 1, 4, 2}), "");
  EXPECT_THAT(problem("mixtral", {2, 1, 3, 1}), HasSubstr("--ep 3 does not divide the 2 SIPs of tp x dp (use --ep 2)"));
  EXPECT_THAT(problem("qwen3_moe", {1, 1, 3, 3}), HasSubstr("--ep 3 does not divide 16 experts"));
  EXPECT_TRUE(divides(tiny_model("llama"), {4, 1, 1, 1}));
  EXPECT_FALSE(divides(tiny_model("llama"), {5, 1, 1, 1}));
}

// Layers over four SIPs of experts where one is left: each expert over the SIPs that ep leaves.
TEST(ParallelPlan, ExpertsLieOnTpTimesDp_M15) {
  const ParallelPlan plan{4, 1, 2, 2};
  EXPECT_EQ(plan.sips(), 8);
  EXPECT_EQ(plan.expert_group(), 8);
  EXPECT_EQ(plan.expert_shards(), 4);
}

TEST(ParallelPlan, StagesBeforeTheLastHaveTheRemainder_M16) {
  const auto counts = [](std::int64_t layers, std::int64_t pp) {
    std::vector<std::int64_t> list;
    std::int64_t at = 0;
    for (const LayerRange& range : stages(layers, pp)) {
      EXPECT_EQ(range.begin, at);
      at = range.end;
      list.push_back(range.end - range.begin);
    }
    EXPECT_EQ(at, layers);
    return list;
  };
  using List = std::vector<std::int64_t>;
  EXPECT_EQ(counts(80, 4), List({20, 20, 20, 20}));
  EXPECT_EQ(counts(61, 3), List({20, 21, 20}));
  EXPECT_EQ(counts(7, 4), List({2, 2, 2, 1}));
  EXPECT_EQ(counts(5, 1), List({5}));
}

}  // namespace
}  // namespace kb::model
