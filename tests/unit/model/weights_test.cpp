#include "platform/model/weights.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/unit/model/tiny_models.h"

namespace kb::model {
namespace {

struct Published {
  const char* name;
  std::int64_t parameters;  // of the model's card or of its files
  std::uint64_t cache_bytes_per_token;
};

class PublishedTest : public testing::TestWithParam<Published> {};

// M-12. The counts are those of the models' own files: total_size of the index in bf16 halved.
TEST_P(PublishedTest, CountsOfPublishedModels) {
  const ModelSpec spec = shipped_model(GetParam().name);
  EXPECT_EQ(parameters(spec).all, GetParam().parameters);
  EXPECT_EQ(static_cast<std::uint64_t>(spec.layer_count() * spec.cache_elements()) * 2,
            GetParam().cache_bytes_per_token);
}

INSTANTIATE_TEST_SUITE_P(Models, PublishedTest,
                         testing::Values(Published{"llama-2-7b", 6'738'415'616, 512 * 1024},
                                         Published{"llama-2-70b", 68'976'648'192, 320 * 1024},
                                         Published{"llama-3-8b", 8'030'261'248, 128 * 1024},
                                         Published{"llama-3.1-8b", 8'030'261'248, 128 * 1024},
                                         Published{"llama-3.1-70b", 70'553'706'496, 320 * 1024},
                                         Published{"mistral-7b", 7'241'732'096, 128 * 1024},
                                         Published{"mixtral-8x7b", 46'702'792'704, 128 * 1024},
                                         Published{"qwen2.5-7b", 7'615'616'512, 56 * 1024},
                                         Published{"qwen3-8b", 8'190'735'360, 144 * 1024},
                                         Published{"qwen3-32b", 32'762'123'264, 256 * 1024},
                                         Published{"qwen3-30b-a3b", 30'532'122'624, 96 * 1024},
                                         Published{"deepseek-v3", 671'026'419'200, 576 * 2 * 61}));

TEST(Weights, ActiveParametersOfExperts_M12) {
  EXPECT_NEAR(static_cast<double>(parameters(shipped_model("mixtral-8x7b")).active) / 1e9, 12.9, 0.05);
  EXPECT_NEAR(static_cast<double>(parameters(shipped_model("qwen3-30b-a3b")).active) / 1e9, 3.3, 0.06);
  EXPECT_NEAR(static_cast<double>(parameters(shipped_model("deepseek-v3")).active) / 1e9, 37, 0.6);
}

std::map<std::string, Shape> tensors_of(const ModelSpec& spec, std::int64_t layer) {
  std::map<std::string, Shape> tensors;
  for (const WeightTensor& weight : layer_weights(spec, layer, Dtype::bf16)) tensors[weight.role] = weight.shape;
  return tensors;
}

// The index of Llama-3.1-8B's safetensors, typed from the published file: 291 tensors.
TEST(Weights, TensorsOfLlamaByHand_M13) {
  const ModelSpec spec = shipped_model("llama-3.1-8b");
  const std::map<std::string, Shape> layer = {
      {"input_layernorm.weight", {4096}},          {"mlp.down_proj.weight", {4096, 14336}},
      {"mlp.gate_proj.weight", {14336, 4096}},     {"mlp.up_proj.weight", {14336, 4096}},
      {"post_attention_layernorm.weight", {4096}}, {"self_attn.k_proj.weight", {1024, 4096}},
      {"self_attn.o_proj.weight", {4096, 4096}},   {"self_attn.q_proj.weight", {4096, 4096}},
      {"self_attn.v_proj.weight", {1024, 4096}}};
  for (const std::int64_t number : {0, 17, 31}) EXPECT_EQ(tensors_of(spec, number), layer);
  const std::vector<WeightTensor> all = all_weights(spec, Dtype::bf16);
  EXPECT_EQ(all.size(), 291u);
  EXPECT_EQ(all.front().name(), "model.embed_tokens.weight");
  EXPECT_EQ(all.front().shape, Shape({128256, 4096}));
  EXPECT_EQ(all[1].name(), "model.layers.0.input_layernorm.weight");
  EXPECT_EQ(all[289].name(), "model.norm.weight");
  EXPECT_EQ(all[290].name(), "lm_head.weight");
}

// A layer with experts of DeepSeek-V3's published index, typed by hand.
TEST(Weights, TensorsOfDeepSeekByHand_M13) {
  const std::map<std::string, Shape> layer = {{"input_layernorm.weight", {7168}},
                                              {"mlp.experts.*.down_proj.weight", {7168, 2048}},
                                              {"mlp.experts.*.gate_proj.weight", {2048, 7168}},
                                              {"mlp.experts.*.up_proj.weight", {2048, 7168}},
                                              {"mlp.gate.e_score_correction_bias", {256}},
                                              {"mlp.gate.weight", {256, 7168}},
                                              {"mlp.shared_experts.down_proj.weight", {7168, 2048}},
                                              {"mlp.shared_experts.gate_proj.weight", {2048, 7168}},
                                              {"mlp.shared_experts.up_proj.weight", {2048, 7168}},
                                              {"post_attention_layernorm.weight", {7168}},
                                              {"self_attn.kv_a_layernorm.weight", {512}},
                                              {"self_attn.kv_a_proj_with_mqa.weight", {576, 7168}},
                                              {"self_attn.kv_b_proj.weight", {32768, 512}},
                                              {"self_attn.o_proj.weight", {7168, 16384}},
                                              {"self_attn.q_a_layernorm.weight", {1536}},
                                              {"self_attn.q_a_proj.weight", {1536, 7168}},
                                              {"self_attn.q_b_proj.weight", {24576, 1536}}};
  EXPECT_EQ(tensors_of(shipped_model("deepseek-v3"), 3), layer);
  EXPECT_EQ(tensors_of(shipped_model("deepseek-v3"), 2).count("mlp.gate_proj.weight"), 1u);
}

TEST(Weights, ScalesAreStoredBesideTheirWeight_M11) {
  const ModelSpec spec = shipped_model("deepseek-v3");
  for (const WeightTensor& weight : layer_weights(spec, 3, Dtype::bf16)) {
    if (weight.role == "self_attn.kv_a_proj_with_mqa.weight") {  // 576 rows are 5 blocks, 7168 columns 56
      EXPECT_EQ(weight.local_bytes(spec, {}), 576u * 7168 + 5u * 56 * 4);
    }
    if (weight.role == "mlp.gate.weight") {
      EXPECT_EQ(weight.local_bytes(spec, {}), 256u * 7168 * 2);
    }
  }
}

// M-14: SIPs together have every weight, and more only of what is replicated or filled up.
TEST(Weights, PartsOfAllSipsAreTheWhole) {
  for (const std::string& family : tiny_families()) {
    const ModelSpec spec = tiny_model(family);
    const ParallelPlan plan{2, 1, spec.moe ? 2 : 1, 1};
    for (const WeightTensor& weight : all_weights(spec, Dtype::bf16)) {
      std::int64_t local = 1;
      for (const std::int64_t extent : weight.local_shape(spec, plan)) local *= extent;
      EXPECT_EQ(local * (weight.cut == Cut::whole ? 1 : 2), weight.elements()) << weight.name();
    }
  }
}

TEST(Weights, HeadsOfTheCacheAreReplicatedWhereSipsExceedThem_M14) {
  const ModelSpec spec = tiny_model("llama");  // 8 heads, 4 K/V heads of 8
  for (const WeightTensor& weight : layer_weights(spec, 0, Dtype::bf16)) {
    if (weight.role != "self_attn.k_proj.weight") continue;
    EXPECT_EQ(weight.local_shape(spec, {4, 1, 1, 1}), Shape({8, 64}));
    EXPECT_EQ(weight.local_shape(spec, {8, 1, 1, 1}), Shape({8, 64}));
    EXPECT_EQ(weight.local_shape(spec, {2, 1, 1, 1}), Shape({16, 64}));
  }
  EXPECT_EQ(embedding_weight(tiny_model("llama", {{"vocab_size", "130"}}), Dtype::bf16).local_shape(spec, {4, 1, 1, 1}),
            Shape({33, 64}));
}

}  // namespace
}  // namespace kb::model
