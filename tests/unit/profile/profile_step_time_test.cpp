// Whole steps by hand.
#include "sw/profile/profile_step_time.h"

#include <gmock/gmock.h>

namespace kb::profile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Kernel k of a list takes 100 (k + 1) + tokens ns.
void add_dense(RankTables& tables, const std::vector<std::string>& kernels, std::int64_t factor = 1) {
  std::int64_t base = 100;
  for (const std::string& kernel : kernels) {
    if (tables.dense.count(kernel) != 0) continue;
    tables.dense[kernel].add(1, factor * base + 1);
    tables.dense[kernel].add(101, factor * base + 101);
    base += 100;
  }
}

const std::vector<std::string> kLlama = {"embedding",    "layernorm", "qkv_proj",  "rotary_emb",     "o_proj",
                                         "gate_up_proj", "act_fn",    "down_proj", "final_layernorm"};

RankTables llama_tables(std::int64_t factor = 1) {
  RankTables tables;
  add_dense(tables, kLlama, factor);
  for (const char* kernel : {"lm_head", "sampler"}) {
    tables.per_sequence[kernel].add(1, factor * 1000);
    tables.per_sequence[kernel].add(11, factor * 1000 + 50);
  }
  tables.attention.add({0, 0, 1, 0}, factor * 500);
  tables.attention.add({0, 0, 1, 100}, factor * 500 + 100);
  tables.attention.add({0, 0, 2, 0}, factor * 600);
  tables.attention.add({0, 0, 2, 100}, factor * 600 + 100);
  tables.attention.add({20, 0, 0, 0}, factor * 900);
  tables.attention.add({20, 100, 0, 0}, factor * 900 + 300);
  return tables;
}

ServedModel llama() {
  ServedModel model;
  model.type = "llama";
  model.hidden = 64;
  model.layers = 4;
  return model;
}

serving::Batch batch(const std::vector<std::pair<std::int64_t, std::int64_t>>& entries) {
  serving::Batch all;
  for (const auto& [tokens, past] : entries) all.push_back({nullptr, tokens, past});
  return all;
}

TEST(ProfileStepTime, AStepIsTheSumOfItsKernels) {  // M-61, M-62
  KernelProfile profile;
  profile.by_tp[1] = llama_tables();
  ProfileStepTime times(profile, llama(), {}, {});
  // 200 + 300 + 400 + 500 + 200 + 600 + 700 + 800 and 2 tokens each of 8 kernels; decodes at 40 and 81: mean 60.5, cut
  // to 60.
  constexpr std::int64_t kLayer = 3700 + 8 * 2 + 660;
  EXPECT_EQ(times.step_ns(batch({{1, 40}, {1, 81}})), (100 + 2) + 4 * kLayer + (900 + 2) + 2 * 1005);
  // Prefills: new tokens and pasts are summed.
  constexpr std::int64_t kPrefill = 3700 + 8 * 20 + 900 + 3 * 70;
  EXPECT_EQ(times.step_ns(batch({{12, 50}, {8, 20}})), (100 + 20) + 4 * kPrefill + (900 + 20) + 2 * 1005);
  EXPECT_TRUE(times.missing_kernels().empty());
}

TEST(ProfileStepTime, KernelsThatAreMissingTakeNoTime) {  // M-61, M-80
  KernelProfile profile;
  profile.by_tp[1] = llama_tables();
  const std::int64_t whole = ProfileStepTime(profile, llama(), {}, {}).step_ns(batch({{1, 0}}));
  profile.by_tp[1].dense.erase("act_fn");
  profile.by_tp[1].per_sequence.erase("sampler");
  ProfileStepTime times(profile, llama(), {}, {});
  EXPECT_EQ(times.step_ns(batch({{1, 0}})), whole - 4 * 701 - 1000);
  EXPECT_THAT(times.missing_kernels(), ElementsAre("act_fn", "sampler"));
  EXPECT_THAT(times.abstractions(), Contains(HasSubstr("no act_fn, sampler")));
}

TEST(ProfileStepTime, TpusHaveNoRotation) {  // M-61
  KernelProfile profile;
  profile.by_tp[1] = llama_tables();
  const std::int64_t whole = ProfileStepTime(profile, llama(), {}, {}).step_ns(batch({{1, 0}}));
  profile.hardware = "TPU-v9";
  EXPECT_EQ(ProfileStepTime(profile, llama(), {}, {}).step_ns(batch({{1, 0}})), whole - 4 * 401);
}

TEST(ProfileStepTime, ATwoRankStepHasAllReducesAndStableKernelsOfOneRank) {  // M-61, M-66
  KernelProfile profile;
  profile.by_tp[1] = llama_tables();
  profile.by_tp[2] = llama_tables(10);
  const RankLinks links{100, 1 / 1.073741824, 3.0};  // 1 B/ns
  ProfileStepTime times(profile, llama(), {2, 1}, links);
  // 64 x 2 bytes: 2 x (100 + 64) + 64 ns, twice. layernorm, final_layernorm and sampler are those of tp 1.
  constexpr std::int64_t kSum = 2 * 164 + 64;
  constexpr std::int64_t kLayer = 2 * 201 + (3001 + 4001 + 5001 + 6001 + 7001 + 8001) + 5000 + 2 * kSum;
  EXPECT_EQ(times.step_ns(batch({{1, 0}})), 1001 + 4 * kLayer + 901 + 10000 + 1000);
  profile.by_tp.erase(1);
  ProfileStepTime alone(profile, llama(), {2, 1}, links);
  EXPECT_EQ(alone.step_ns(batch({{1, 0}})), 1001 + 4 * (kLayer + 2 * 1800) + 9001 + 10000 + 10000);
}

ServedModel mixture() {
  ServedModel model = llama();
  model.type = "mixtral";
  model.experts = 8;
  model.experts_per_token = 2;
  return model;
}

TEST(ProfileStepTime, ExpertsAreBalanced) {  // M-67
  KernelProfile profile;
  profile.by_tp[1] = llama_tables();
  for (std::int64_t tokens = 1; tokens <= 64; tokens *= 2) {
    for (std::int64_t experts = 1; experts <= 8; experts *= 2)
      profile.experts.add(tokens, experts, 1000 * experts + tokens);
  }
  ProfileStepTime times(profile, mixture(), {1, 1}, {});
  DecodeContexts one;
  one.add(0);
  const std::int64_t dense = 2 * 200 + 300 + 400 + 500, attention = 500;
  EXPECT_EQ(times.layer_ns(1, 0, 0, one), dense + 5 + attention + 2001);        // 2 experts of 1 token
  EXPECT_EQ(times.layer_ns(16, 0, 0, one), dense + 5 * 16 + attention + 8016);  // 32 choices: all 8
}

TEST(ProfileStepTime, ExpertsOnSeveralRanksExchangeTokens) {  // M-66, M-67
  KernelProfile profile;
  profile.by_tp[1] = llama_tables();
  profile.by_tp[2] = llama_tables();
  for (std::int64_t tokens = 1; tokens <= 64; tokens *= 2) {
    for (std::int64_t experts = 1; experts <= 4; experts *= 2)
      profile.experts.add(tokens, experts, 1000 * experts + tokens);
  }
  const RankLinks links{100, 1 / 1.073741824, 3.0};
  ProfileStepTime times(profile, mixture(), {2, 2}, links);
  DecodeContexts one;
  one.add(0);
  // 8 tokens: 8 choices for each rank, all of its 4 experts; 6 tokens reach it. All-reduce after o_proj of 1024 B:
  // 2 x (100 + 512) + 512; all-gather of 4 x 72 x 2 B: 100 + 576; reduce-scatter of 1024 B: 100 + 512 + 512.
  const std::int64_t dense = 2 * 208 + 308 + 408 + 508, attention = 500;
  EXPECT_EQ(times.layer_ns(8, 0, 0, one), dense + attention + 4006 + 1736 + 676 + 1124);
  ProfileStepTime together(profile, mixture(), {2, 1}, links);
  EXPECT_EQ(together.layer_ns(8, 0, 0, one), dense + attention + (4008 + (8008 - 4008) * 0) + 1736 + 4000);
}

TEST(ProfileStepTime, UnequalContextsCostTheirShare) {  // M-65
  KernelProfile profile;
  profile.by_tp[1] = llama_tables();
  DecodeContexts contexts;
  contexts.add(10);
  contexts.add(90);
  ProfileStepTime plain(profile, llama(), {}, {});
  EXPECT_EQ(plain.attention_ns(0, 0, contexts, true), 650);
  profile.by_tp[1].skew.emplace(SkewFit::default_axes(), 0.0);
  profile.by_tp[1].skew->add("0|n<=2|sr<=70%|kvB<=1k|kp=0", 0.5);  // rate (50 - 10) / (90 - 10)
  ProfileStepTime skewed(profile, llama(), {}, {});
  EXPECT_EQ(skewed.attention_ns(0, 0, contexts, true), 670);  // 650 + 0.5 x (690 - 650)
  EXPECT_EQ(skewed.attention_ns(0, 0, contexts, false), 650);
  DecodeContexts equal;
  equal.add(50);
  equal.add(50);
  EXPECT_EQ(skewed.attention_ns(0, 0, equal, true), 650);
  DecodeContexts one;
  one.add(50);
  EXPECT_EQ(skewed.attention_ns(0, 0, one, true), 550);
}

TEST(ProfileStepTime, AlphaIsNeitherClippedNorAppliedWhereTheLongestIsFaster) {  // M-65
  for (const auto& [alpha, expected] : {std::pair(-2.0, 570), {3.0, 770}, {0.0625, 652}, {0.0375, 652}}) {
    KernelProfile profile;
    profile.by_tp[1] = llama_tables();
    profile.by_tp[1].skew.emplace(SkewFit::default_axes(), alpha);
    ProfileStepTime times(profile, llama(), {}, {});
    DecodeContexts contexts;
    contexts.add(10);
    contexts.add(90);
    EXPECT_EQ(times.attention_ns(0, 0, contexts, true), expected) << alpha;  // 652.5 and 651.5 go to the even 652
  }
  KernelProfile profile;
  profile.by_tp[1].attention.add({0, 0, 2, 0}, 600);
  profile.by_tp[1].attention.add({0, 0, 2, 100}, 500);
  profile.by_tp[1].skew.emplace(SkewFit::default_axes(), 0.5);
  ProfileStepTime times(profile, llama(), {}, {});
  DecodeContexts contexts;
  contexts.add(0);
  contexts.add(100);
  EXPECT_EQ(times.attention_ns(0, 0, contexts, true), 550);
}

TEST(ProfileStepTime, SaysHowManyStepsLieBeyondTheTables) {  // M-80
  KernelProfile profile;
  profile.by_tp[1] = llama_tables();
  ProfileStepTime times(profile, llama(), {}, {});
  times.step_ns(batch({{1, 10}}));
  times.step_ns(batch({{20, 0}}));
  EXPECT_THAT(times.abstractions(), Not(Contains(HasSubstr("beyond"))));
  times.step_ns(batch({{21, 0}}));
  times.step_ns(batch({{1, 0}, {1, 0}, {1, 0}}));
  EXPECT_THAT(times.abstractions(), Contains(HasSubstr("2 of 4 steps lie beyond")));
}

}  // namespace
}  // namespace kb::profile
