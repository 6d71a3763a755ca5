#include "sw/profile/served_model.h"

#include <algorithm>
#include <set>

namespace kb::profile {
namespace {

struct TypeRow {
  const char* type;
  std::vector<std::string> kernels;
};

const std::vector<TypeRow>& type_rows() {
  static const std::vector<TypeRow> rows = {
      {"llama",
       {"layernorm", "qkv_proj", "rotary_emb", "attention", "o_proj", "layernorm", "gate_up_proj", "act_fn",
        "down_proj"}},
      {"qwen3",
       {"layernorm", "qkv_proj", "qk_norm", "rotary_emb", "attention", "o_proj", "layernorm", "gate_up_proj", "act_fn",
        "down_proj"}},
      {"qwen3_moe", {"layernorm", "qkv_proj", "qk_norm", "rotary_emb", "attention", "o_proj", "layernorm", "moe"}},
      {"mixtral", {"layernorm", "qkv_proj", "rotary_emb", "attention", "o_proj", "layernorm", "moe"}},
      {"phimoe", {"layernorm", "qkv_proj", "rotary_emb", "attention", "o_proj", "layernorm", "moe"}}};
  return rows;
}

}  // namespace

const std::vector<std::string>& known_model_types() {
  static const std::vector<std::string> types = [] {
    std::vector<std::string> all;
    for (const TypeRow& row : type_rows()) all.emplace_back(row.type);
    return all;
  }();
  return types;
}

const std::vector<std::string>& layer_kernels(const std::string& model_type) {
  const auto found =
      std::find_if(type_rows().begin(), type_rows().end(), [&](const TypeRow& row) { return row.type == model_type; });
  return found->kernels;
}

bool is_tp_stable(const std::string& kernel) {
  static const std::set<std::string> stable = {"layernorm", "qk_norm", "final_layernorm", "sampler"};
  return stable.count(kernel) != 0;
}

std::int64_t weight_bytes(const ServedModel& model, Ranks ranks) {
  const std::int64_t kv_heads = std::max<std::int64_t>(1, model.kv_heads / ranks.tp);
  const std::int64_t attention = model.hidden * model.head_dim * (2 * model.heads / ranks.tp + 2 * kv_heads);
  const std::int64_t network = model.experts > 0 ? model.experts / ranks.ep * 3 * model.hidden * model.expert_inner +
                                                       model.hidden * model.experts
                                                 : 3 * model.hidden * model.inner / ranks.tp;
  const std::int64_t layer = attention + network + 2 * model.hidden;
  const std::int64_t tables = (model.tied_embeddings ? 1 : 2) * model.vocabulary * model.hidden / ranks.tp;
  return (model.layers * layer + tables + model.hidden) * model.element_bytes;
}

std::int64_t kv_bytes_per_token(const ServedModel& model, Ranks ranks) {
  return 2 * model.layers * std::max<std::int64_t>(1, model.kv_heads / ranks.tp) * model.head_dim * model.kv_bytes;
}

}  // namespace kb::profile
