#include "sim/study/verify/weight_parts.h"

#include <gmock/gmock.h>

#include "sim/study/verify/device_model.h"
#include "tests/unit/model/tiny_models.h"

namespace kb::verify {
namespace {

using testing::ElementsAre;

// hidden 4, two heads of 2 with one K/V head, MLP of width 2, vocabulary 3; values count 0, 1, 2, ...
model::ModelSpec small_model() {
  return model::tiny_model("llama", {{"hidden_size", "4"},
                                     {"intermediate_size", "2"},
                                     {"num_hidden_layers", "1"},
                                     {"num_attention_heads", "2"},
                                     {"num_key_value_heads", "1"},
                                     {"attention_bias", "true"},
                                     {"vocab_size", "3"}});
}

ModelWeights counting(const model::ModelSpec& spec) {
  ModelWeights weights;
  for (const model::WeightTensor& weight : model::all_weights(spec, Dtype::f32)) {
    std::vector<double>& values = weights.tensors[weight.name()];
    for (std::int64_t i = 0; i < weight.elements(); ++i) values.push_back(static_cast<double>(i));
  }
  return weights;
}

// M-122
TEST(WeightParts, AreCutAsTheGraphSays) {
  const model::ModelSpec spec = small_model();
  const ModelWeights weights = counting(spec);
  const WeightParts parts(spec, weights, {2, 1, 1, 1});
  const std::string attention = "model.layers.0.self_attn.";
  EXPECT_THAT(parts.values({attention + "q_proj.weight"}, 1), ElementsAre(8, 9, 10, 11, 12, 13, 14, 15)) << "rows";
  EXPECT_THAT(parts.values({attention + "k_proj.weight"}, 1), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7)) << "the same head";
  EXPECT_THAT(parts.values({attention + "o_proj.weight"}, 1), ElementsAre(2, 3, 6, 7, 10, 11, 14, 15)) << "columns";
  EXPECT_THAT(parts.values({"model.embed_tokens.weight"}, 1), ElementsAre(8, 9, 10, 11, 0, 0, 0, 0)) << "filled up";
  EXPECT_THAT(parts.values({attention + "q_proj.bias", attention + "k_proj.bias"}, 1), ElementsAre(2, 3, 0, 1));
}

// M-122: the sum over SIPs has it once.
TEST(WeightParts, TheBiasOfASumIsOnTheFirstSip) {
  const model::ModelSpec spec = small_model();
  const ModelWeights weights = counting(spec);
  const WeightParts parts(spec, weights, {2, 1, 1, 1});
  EXPECT_THAT(parts.values({"model.layers.0.self_attn.o_proj.bias"}, 0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(parts.values({"model.layers.0.self_attn.o_proj.bias"}, 1), ElementsAre(0, 0, 0, 0));
}

}  // namespace
}  // namespace kb::verify
