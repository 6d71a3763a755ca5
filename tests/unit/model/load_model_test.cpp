#include <gmock/gmock.h>

#include <fstream>

#include "platform/base/error.h"
#include "platform/model/model_spec.h"
#include "tests/unit/model/tiny_models.h"

namespace kb::model {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<std::int64_t> windows(const ModelSpec& spec) {
  std::vector<std::int64_t> list;
  for (const LayerSpec& layer : spec.layers) list.push_back(layer.window);
  return list;
}

std::vector<bool> moe_layers(const ModelSpec& spec) {
  std::vector<bool> list;
  for (const LayerSpec& layer : spec.layers) list.push_back(layer.moe);
  return list;
}

// M-1
TEST(LoadModel, ReadsEveryFamily) {
  for (const std::string& family : tiny_families()) {
    const ModelSpec spec = tiny_model(family);
    EXPECT_EQ(spec.family, family);
    EXPECT_EQ(spec.hidden, 64) << family;
    EXPECT_EQ(spec.layer_count(), 4) << family;
    EXPECT_EQ(spec.dtype, Dtype::bf16) << family;
    EXPECT_EQ(warnings_of(family, {}), "") << family;
  }
  EXPECT_EQ(tiny_families(),
            std::vector<std::string>({"llama", "mistral", "mixtral", "qwen2", "qwen3", "qwen3_moe", "deepseek_v3"}));
}

TEST(LoadModel, HeadsOfTheirOwnWidthAreRead_M4) {
  EXPECT_EQ(tiny_model("llama").head_dim, 8);  // width / heads
  EXPECT_EQ(tiny_model("llama", {{"head_dim", "null"}}).head_dim, 8);
  EXPECT_EQ(tiny_model("qwen3").head_dim, 16);
  EXPECT_EQ(tiny_model("llama", {{"num_key_value_heads", ""}}).kv_heads, 8);
  EXPECT_EQ(
      problem_of("llama", {{"num_attention_heads", "7"}, {"num_key_value_heads", "7"}}),
      "m.json: head_dim: is missing (hidden_size 64 is no multiple of num_attention_heads 7, so that it has to be "
      "given)");
}

TEST(LoadModel, FamiliesDifferInBiasesAndNorms_M1) {
  EXPECT_TRUE(tiny_model("qwen2").qkv_bias);
  EXPECT_FALSE(tiny_model("qwen2").o_bias);
  EXPECT_TRUE(tiny_model("qwen3").qk_norm);
  EXPECT_FALSE(tiny_model("llama").qk_norm);
  const ModelSpec biased = tiny_model("llama", {{"attention_bias", "true"}, {"mlp_bias", "true"}});
  EXPECT_TRUE(biased.qkv_bias && biased.o_bias && biased.mlp_bias);
  EXPECT_TRUE(tiny_model("llama", {{"tie_word_embeddings", "true"}}).tied);
}

TEST(LoadModel, WindowsFollowTheFamily_M5) {
  using List = std::vector<std::int64_t>;
  EXPECT_EQ(windows(tiny_model("mistral")), List({16, 16, 16, 16}));
  EXPECT_EQ(windows(tiny_model("mistral", {{"sliding_window", "null"}})), List({0, 0, 0, 0}));
  const Changes off = {{"sliding_window", "8"}, {"max_window_layers", "2"}, {"use_sliding_window", "false"}};
  EXPECT_EQ(windows(tiny_model("qwen3", off)), List({0, 0, 0, 0}));
  const Changes on = {{"sliding_window", "8"}, {"max_window_layers", "2"}, {"use_sliding_window", "true"}};
  EXPECT_EQ(windows(tiny_model("qwen3", on)), List({0, 0, 8, 8}));
  Changes typed = on;
  typed.emplace_back("layer_types",
                     R"(["sliding_attention", "full_attention", "full_attention", "sliding_attention"])");
  EXPECT_EQ(windows(tiny_model("qwen3", typed)), List({8, 0, 0, 8}));
  EXPECT_THAT(problem_of("qwen3", {{"layer_types", R"(["full_attention"])"}}),
              HasSubstr("m.json:14:3: layer_types: does not have one text for each of the 4 layers"));
  EXPECT_THAT(problem_of("llama", {{"sliding_window", "16"}}), HasSubstr("sliding_window: is 16, which changes what"));
}

TEST(LoadModel, LayersWithExpertsFollowTheFamily_M6) {
  EXPECT_EQ(moe_layers(tiny_model("mixtral")), std::vector<bool>({true, true, true, true}));
  EXPECT_EQ(moe_layers(tiny_model("qwen3_moe")), std::vector<bool>({false, true, false, false}));
  EXPECT_EQ(moe_layers(tiny_model("deepseek_v3")), std::vector<bool>({false, true, true, true}));
  EXPECT_EQ(tiny_model("mixtral").moe->width, 96);
  EXPECT_EQ(tiny_model("qwen3_moe").moe->width, 32);
  EXPECT_FALSE(tiny_model("qwen3_moe").moe->normalized);
  EXPECT_EQ(tiny_model("qwen3_moe", {{"num_experts", ""}, {"num_local_experts", "16"}}).moe->experts, 16);
  EXPECT_EQ(tiny_model("deepseek_v3", {{"n_shared_experts", "2"}}).moe->shared_width, 64);
}

TEST(LoadModel, RopeIsReadInBothForms_M7) {
  const ModelSpec old = tiny_model(
      "llama",
      {{"rope_theta", "5e5"}, {"rope_scaling", R"({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
     "high_freq_factor": 4.0, "original_max_position_embeddings": 8192})"}});
  EXPECT_EQ(old.rope.type, RopeType::llama3);
  EXPECT_EQ(old.rope.theta, 5e5);
  EXPECT_EQ(old.rope.original_positions, 8192);
  const ModelSpec newer = tiny_model("qwen3", {{"rope_parameters", R"({"rope_theta": 1e6, "rope_type": "default"})"}});
  EXPECT_EQ(newer.rope.type, RopeType::plain);
  EXPECT_EQ(newer.rope.theta, 1e6);
  EXPECT_EQ(tiny_model("llama", {{"rope_scaling", R"({"type": "linear", "factor": 4})"}}).rope.factor, 4);
  const ModelSpec yarn = tiny_model("deepseek_v3", {{"rope_scaling", R"({"type": "yarn", "factor": 40, "mscale": 1.0,
     "mscale_all_dim": 0.7, "original_max_position_embeddings": 4096})"}});
  EXPECT_EQ(yarn.rope.type, RopeType::yarn);
  EXPECT_EQ(yarn.rope.mscale_all_dim, 0.7);
  EXPECT_TRUE(yarn.rope.interleaved);
}

// M-3, M-8
TEST(LoadModel, ProblemsNameFileLineAndKey) {
  EXPECT_EQ(problem_of("llama", {{"hidden_size", "0"}}),
            "m.json:4:3: hidden_size: is 0 (use a whole number from 1 to 131072)");
  EXPECT_EQ(problem_of("llama", {{"vocab_size", "\"many\""}}),
            "m.json:9:3: vocab_size: is \"many\" (use a whole number from 1 to 16777216)");
  EXPECT_EQ(problem_of("llama", {{"num_hidden_layers", ""}, {"num_hiden_layers", "4"}}),
            "m.json: num_hidden_layers: is missing ('num_hiden_layers' is there: did you mean 'num_hidden_layers'?)");
  // A key that means something is no misspelling of the missing one.
  EXPECT_EQ(problem_of("llama", {{"hidden_size", ""}}), "m.json: hidden_size: is missing (add it)");
  EXPECT_EQ(problem_of("llama", {{"num_attention_heads", ""}}), "m.json: num_attention_heads: is missing (add it)");
  EXPECT_EQ(problem_of("llama", {{"model_type", "3"}}), "m.json:2:3: model_type: is 3 (use a text in quotes)");
  EXPECT_EQ(problem_of("mistral", {{"num_key_value_heads", ""}}),
            "m.json: num_key_value_heads: is missing (add it; without grouped queries it is 8)");
  EXPECT_THAT(problem_of("llama", {{"model_type", "\"lama\""}}),
              AllOf(HasSubstr("m.json:2:3: model_type: models of type 'lama' are not supported"),
                    HasSubstr("did you mean 'llama'?")));
  EXPECT_THAT(problem_of("llama", {{"architectures", "[\"LlamaForSequenceClassification\"]"}}),
              HasSubstr("m.json:3:3: architectures: is \"LlamaForSequenceClassification\""));
  EXPECT_EQ(problem_of("llama", {{"rope_scaling", R"({"factor": 4})"}}),
            "m.json:13:3: rope_scaling.rope_type: is missing (add default, linear, llama3 or yarn)");
  // Every problem at once.
  EXPECT_THAT(problem_of("llama", {{"hidden_size", "0"}, {"hidden_act", "\"gelu\""}}),
              AllOf(HasSubstr("hidden_size"), HasSubstr("hidden_act: 'gelu' is not supported")));
}

TEST(LoadModel, ContradictionsAreErrors_M8) {
  EXPECT_EQ(problem_of("llama", {{"num_key_value_heads", "3"}}),
            "m.json:8:3: num_key_value_heads: is 3, which does not divide the 8 of num_attention_heads (use a "
            "divisor, 2 for example)");
  EXPECT_THAT(problem_of("llama", {{"dtype", "\"float16\""}}), HasSubstr("dtype: is f16, but torch_dtype is bf16"));
  EXPECT_THAT(problem_of("qwen3", {{"rope_theta", "1e4"},
                                   {"rope_parameters", R"({"rope_theta": 1e6, "rope_type": "default"})"}}),
              HasSubstr("rope_parameters.rope_theta: is 1000000, but rope_theta of the file is 10000"));
  EXPECT_THAT(problem_of("qwen3_moe", {{"num_local_experts", "8"}}),
              HasSubstr("num_local_experts: is 8, but num_experts is 16"));
  EXPECT_THAT(problem_of("mixtral", {{"num_experts_per_tok", "9"}}), HasSubstr("is 9, but there are 8 experts"));
  EXPECT_THAT(problem_of("deepseek_v3", {{"n_group", "3"}}),
              HasSubstr("does not divide the 16 of n_routed_experts (use a divisor, 2 for example)"));
  EXPECT_THAT(problem_of("deepseek_v3", {{"topk_group", "5"}}), HasSubstr("topk_group: is 5, but n_group is 4"));
  EXPECT_THAT(problem_of("deepseek_v3", {{"num_experts_per_tok", "9"}}), HasSubstr("have only 8 experts"));
  EXPECT_THAT(problem_of("deepseek_v3", {{"qk_head_dim", "13"}}),
              HasSubstr("qk_nope_head_dim + qk_rope_head_dim is 12"));
  EXPECT_THAT(problem_of("deepseek_v3", {{"first_k_dense_replace", "5"}}), HasSubstr("is 5, but there are 4 layers"));
}

TEST(LoadModel, KeysThatChangeTheArithmeticAreErrors_M9) {
  const char* const changed[][2] = {
      {"attn_logit_softcapping", "50.0"}, {"partial_rotary_factor", "0.5"}, {"alibi", "true"},
      {"logit_scale", "0.0625"},          {"no_rope_layers", "[1, 1, 0]"},  {"text_config", "{}"}};
  for (const auto& [key, value] : changed) {
    EXPECT_THAT(problem_of("llama", {{key, value}}), HasSubstr("which changes what this kind of model computes"))
        << key;
  }
  const char* const neutral[][2] = {
      {"attn_logit_softcapping", "null"}, {"partial_rotary_factor", "1.0"}, {"alibi", "false"}, {"logit_scale", "1"},
      {"no_rope_layers", "[]"},           {"attention_chunk_size", "null"}};
  for (const auto& [key, value] : neutral) {
    EXPECT_EQ(problem_of("llama", {{key, value}}), "") << key;
    EXPECT_EQ(warnings_of("llama", {{key, value}}), "") << key;
  }
  EXPECT_THAT(problem_of("llama", {{"rope_scaling", R"({"rope_type": "longrope", "factor": 4})"}}),
              HasSubstr("rope_scaling.rope_type: 'longrope' is not supported"));
  EXPECT_THAT(problem_of("llama", {{"rope_scaling", R"({"rope_type": "linear", "factor": 4, "short_factor": [1]})"}}),
              HasSubstr("rope_scaling.short_factor: is not known for this type of scaling"));
  EXPECT_THAT(problem_of("llama", {{"quantization_config", R"({"quant_method": "awq", "bits": 4})"}}),
              HasSubstr("quantization_config.quant_method: weights stored as 'awq' are not supported"));
  EXPECT_THAT(problem_of("deepseek_v3", {{"scoring_func", "\"softmax\""}}), HasSubstr("scoring_func"));
}

TEST(LoadModel, OtherKeysAreSilentOrNamed_M10) {
  EXPECT_EQ(warnings_of("llama", {{"use_cache", "true"},
                                  {"bos_token_id", "1"},
                                  {"transformers_version", "\"4.51.0\""},
                                  {"pretraining_tp", "1"}}),
            "");
  EXPECT_EQ(warnings_of("llama", {{"tie_word_embedings", "true"}}),
            "m.json:13:3: tie_word_embedings: is not known and has no effect (did you mean 'tie_word_embeddings'?)\n");
  EXPECT_EQ(warnings_of("llama", {{"num_experts", "8"}}),
            "m.json:13:3: num_experts: has no effect in this kind of model\n");
  EXPECT_EQ(warnings_of("mixtral", {{"attention_bias", "false"}, {"num_experts", "null"}}), "");
  EXPECT_THAT(warnings_of("deepseek_v3", {{"num_nextn_predict_layers", "1"}}),
              HasSubstr("layers that predict further tokens are left out"));
}

TEST(LoadModel, BlockScalesAreStorage_M11) {
  const ModelSpec spec = tiny_model(
      "deepseek_v3", {{"quantization_config", R"({"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic",
     "weight_block_size": [16, 32]})"}});
  ASSERT_TRUE(spec.scales);
  EXPECT_EQ(spec.scales->dtype, Dtype::e4m3);
  EXPECT_EQ(spec.scales->rows, 16);
  EXPECT_EQ(spec.scales->columns, 32);
}

TEST(LoadModel, NamesAModelByItsFileOrFolder) {
  EXPECT_EQ(load_model_text(tiny_text("llama"), "a/b/llama-x.json").spec.name(), "llama-x");
  EXPECT_EQ(load_model_text(tiny_text("llama"), "a/Llama-3/config.json").spec.name(), "Llama-3");
  EXPECT_THROW(load_model("/nonexistent/config.json"), Error);
}

}  // namespace
}  // namespace kb::model
