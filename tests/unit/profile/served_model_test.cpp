#include "sw/profile/served_model.h"

#include <gtest/gtest.h>

namespace kb::profile {
namespace {

ServedModel small() {
  ServedModel model;
  model.type = "llama";
  model.hidden = 64;
  model.layers = 3;
  model.heads = 8;
  model.kv_heads = 2;
  model.head_dim = 8;
  model.inner = 100;
  model.vocabulary = 1000;
  return model;
}

TEST(ServedModel, CountsWeightsAndCache) {  // M-69
  const ServedModel model = small();
  // q and o: 64 x 64, k and v: 64 x 16, three matrices of 64 x 100, two norms of 64.
  const std::int64_t layer = 2 * 64 * 64 + 2 * 64 * 16 + 3 * 64 * 100 + 2 * 64;
  EXPECT_EQ(weight_bytes(model, {1, 1}), 2 * (3 * layer + 2 * 64 * 1000 + 64));
  EXPECT_EQ(kv_bytes_per_token(model, {1, 1}), 2 * 3 * 2 * 8 * 2);
  EXPECT_EQ(kv_bytes_per_token(model, {2, 1}), 2 * 3 * 1 * 8 * 2);
  EXPECT_EQ(kv_bytes_per_token(model, {4, 1}), 2 * 3 * 1 * 8 * 2);  // replicated
  const std::int64_t half = 64 * 64 + 64 * 16 + 3 * 64 * 50 + 2 * 64;
  EXPECT_EQ(weight_bytes(model, {2, 1}), 2 * (3 * half + 64 * 1000 + 64));
  ServedModel tied = model;
  tied.tied_embeddings = true;
  EXPECT_EQ(weight_bytes(model, {1, 1}) - weight_bytes(tied, {1, 1}), 2 * 64 * 1000);
}

TEST(ServedModel, ExpertsAreDividedByTheirRanks) {  // M-69
  ServedModel model = small();
  model.experts = 8;
  model.expert_inner = 10;
  const std::int64_t layer = 2 * 64 * 64 + 2 * 64 * 16 + 8 * 3 * 64 * 10 + 64 * 8 + 2 * 64;
  EXPECT_EQ(weight_bytes(model, {1, 1}), 2 * (3 * layer + 2 * 64 * 1000 + 64));
  const std::int64_t half = 64 * 64 + 64 * 16 + 4 * 3 * 64 * 10 + 64 * 8 + 2 * 64;
  EXPECT_EQ(weight_bytes(model, {2, 2}), 2 * (3 * half + 64 * 1000 + 64));
}

TEST(ServedModel, LayersByType) {  // M-61
  EXPECT_EQ(layer_kernels("llama").size(), 9u);
  EXPECT_EQ(layer_kernels("qwen3").at(2), "qk_norm");
  EXPECT_EQ(layer_kernels("mixtral").back(), "moe");
  EXPECT_TRUE(is_tp_stable("layernorm"));
  EXPECT_FALSE(is_tp_stable("qkv_proj"));
}

}  // namespace
}  // namespace kb::profile
