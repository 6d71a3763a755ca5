#include "tests/unit/model/tiny_models.h"

#include <map>

#include "platform/base/error.h"

namespace kb::model {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

Lines body(const std::string& family, const std::string& architecture) {
  return {{"model_type", "\"" + family + "\""},
          {"architectures", "[\"" + architecture + "\"]"},
          {"hidden_size", "64"},
          {"intermediate_size", "96"},
          {"num_hidden_layers", "4"},
          {"num_attention_heads", "8"},
          {"num_key_value_heads", "4"},
          {"vocab_size", "128"},
          {"rms_norm_eps", "1e-6"},
          {"max_position_embeddings", "4096"},
          {"torch_dtype", "\"bfloat16\""}};
}

Lines with(Lines lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

const std::map<std::string, Lines>& files() {
  static const std::map<std::string, Lines> all = {
      {"llama", body("llama", "LlamaForCausalLM")},
      {"mistral", with(body("mistral", "MistralForCausalLM"), {{"sliding_window", "16"}})},
      {"mixtral",
       with(body("mixtral", "MixtralForCausalLM"), {{"num_local_experts", "8"}, {"num_experts_per_tok", "2"}})},
      {"qwen2", body("qwen2", "Qwen2ForCausalLM")},
      {"qwen3", with(body("qwen3", "Qwen3ForCausalLM"), {{"head_dim", "16"}})},
      {"qwen3_moe", with(body("qwen3_moe", "Qwen3MoeForCausalLM"), {{"head_dim", "16"},
                                                                    {"num_experts", "16"},
                                                                    {"num_experts_per_tok", "4"},
                                                                    {"moe_intermediate_size", "32"},
                                                                    {"decoder_sparse_step", "2"},
                                                                    {"mlp_only_layers", "[3]"}})},
      {"deepseek_v3", with(body("deepseek_v3", "DeepseekV3ForCausalLM"), {{"q_lora_rank", "24"},
                                                                          {"kv_lora_rank", "16"},
                                                                          {"qk_nope_head_dim", "8"},
                                                                          {"qk_rope_head_dim", "4"},
                                                                          {"v_head_dim", "6"},
                                                                          {"n_routed_experts", "16"},
                                                                          {"n_shared_experts", "1"},
                                                                          {"moe_intermediate_size", "32"},
                                                                          {"first_k_dense_replace", "1"},
                                                                          {"n_group", "4"},
                                                                          {"topk_group", "2"},
                                                                          {"num_experts_per_tok", "4"}})}};
  return all;
}

}  // namespace

const std::vector<std::string>& tiny_families() {
  static const std::vector<std::string> names = {"llama", "mistral",   "mixtral",    "qwen2",
                                                 "qwen3", "qwen3_moe", "deepseek_v3"};
  return names;
}

std::string tiny_text(const std::string& family, const Changes& changes) {
  Lines lines = files().at(family);
  for (const auto& [key, value] : changes) {
    std::size_t at = 0;
    while (at < lines.size() && lines[at].first != key) ++at;
    if (at == lines.size()) lines.emplace_back(key, "");
    lines[at].second = value;
    if (value.empty()) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
  }
  std::string text = "{\n";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += "  \"" + lines[i].first + "\": " + lines[i].second + (i + 1 < lines.size() ? ",\n" : "\n");
  }
  return text + "}\n";
}

ModelSpec tiny_model(const std::string& family, const Changes& changes) {
  return load_model_text(tiny_text(family, changes), "m.json").spec;
}

std::string problem_of(const std::string& family, const Changes& changes) {
  try {
    load_model_text(tiny_text(family, changes), "m.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string warnings_of(const std::string& family, const Changes& changes) {
  std::string text;
  for (const Diagnostic& warning : load_model_text(tiny_text(family, changes), "m.json").warnings) {
    text += warning.text() + "\n";
  }
  return text;
}

ModelSpec shipped_model(const std::string& name) {
  return load_model(std::string(KB_MODEL_DIR) + "/" + name + ".json").spec;
}

}  // namespace kb::model
