#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "platform/base/nearest.h"
#include "platform/model/divisor.h"
#include "platform/model/families.h"
#include "platform/model/known_keys.h"
#include "platform/model/limits.h"
#include "platform/topology/input_file.h"

namespace kb::model {
namespace {

// Every key that some family reads, for suggestions.
const std::vector<std::string>& readable_keys() {
  static const std::vector<std::string> keys = {"attention_bias",
                                                "decoder_sparse_step",
                                                "dtype",
                                                "first_k_dense_replace",
                                                "head_dim",
                                                "hidden_act",
                                                "hidden_size",
                                                "intermediate_size",
                                                "kv_lora_rank",
                                                "layer_types",
                                                "max_window_layers",
                                                "max_position_embeddings",
                                                "mlp_bias",
                                                "mlp_only_layers",
                                                "model_type",
                                                "moe_intermediate_size",
                                                "moe_layer_freq",
                                                "n_group",
                                                "n_routed_experts",
                                                "n_shared_experts",
                                                "norm_topk_prob",
                                                "num_attention_heads",
                                                "num_experts",
                                                "num_experts_per_tok",
                                                "num_hidden_layers",
                                                "num_key_value_heads",
                                                "num_local_experts",
                                                "num_nextn_predict_layers",
                                                "q_lora_rank",
                                                "qk_head_dim",
                                                "qk_nope_head_dim",
                                                "qk_rope_head_dim",
                                                "quantization_config",
                                                "rms_norm_eps",
                                                "rope_interleave",
                                                "rope_parameters",
                                                "rope_scaling",
                                                "rope_theta",
                                                "routed_scaling_factor",
                                                "scoring_func",
                                                "sliding_window",
                                                "tie_word_embeddings",
                                                "topk_group",
                                                "topk_method",
                                                "torch_dtype",
                                                "use_sliding_window",
                                                "v_head_dim",
                                                "vocab_size"};
  return keys;
}

const Family* read_family(ObjectReader& file) {
  const std::optional<std::string> type = file.text("model_type");
  if (!file.problems().errors.empty()) return nullptr;
  if (!type) {
    file.missing("model_type", "is this the config.json of a Hugging Face model?");
    return nullptr;
  }
  for (const Family& family : families()) {
    if (family.model_type == *type) return &family;
  }
  file.error("model_type", fmt::format("models of type '{}' are not supported", *type), suggest(*type, family_names()));
  return nullptr;
}

void check_architecture(ObjectReader& file, const Family& family) {
  const JsonNode* const node = file.value("architectures");
  if (node == nullptr || node->kind != JsonNode::Kind::list || node->items.empty()) return;
  const JsonNode& first = node->items.front();
  if (first.kind == JsonNode::Kind::text && first.text == family.architecture) return;
  file.error(
      "architectures",
      fmt::format("is {}, but model_type '{}' means {}", first.described(), family.model_type, family.architecture),
      "a model with another head, or without one, is not supported");
}

void check_heads(ObjectReader& file, bool dim_is_given, const ModelSpec& spec) {
  if (spec.heads % spec.kv_heads != 0) {
    file.error("num_key_value_heads",
               fmt::format("is {}, which does not divide the {} of num_attention_heads", spec.kv_heads, spec.heads),
               fmt::format("use a divisor, {} for example", nearest_divisor(spec.heads, spec.kv_heads, spec.heads)));
  }
  if (!dim_is_given && spec.hidden % spec.heads != 0) {
    file.missing("head_dim", fmt::format("hidden_size {} is no multiple of num_attention_heads {}, so that it has to "
                                         "be given",
                                         spec.hidden, spec.heads));
  } else if (spec.head_dim % 2 != 0) {
    file.error(dim_is_given ? "head_dim" : "num_attention_heads",
               fmt::format("heads of {} elements cannot be rotated, because they have no halves", spec.head_dim),
               "use an even number");
  }
}

void read_attention(ObjectReader& file, const Family& family, ModelSpec& spec) {
  spec.heads = file.required_whole("num_attention_heads", {1, kMostHeads});
  spec.qk_norm = family.qk_norm;
  spec.qkv_bias = family.qkv_bias;
  if (family.attention_bias) spec.qkv_bias = spec.o_bias = file.flag("attention_bias", false);
  if (family.experts == Experts::deepseek) {
    read_mla(file, spec);
    return;
  }
  const std::optional<std::int64_t> kv_heads = file.whole("num_key_value_heads", {1, kMostHeads});
  if (!kv_heads && !family.own_kv_heads) {
    file.missing("num_key_value_heads", fmt::format("add it; without grouped queries it is {}", spec.heads));
  }
  spec.kv_heads = kv_heads.value_or(spec.heads);
  const std::optional<std::int64_t> head_dim = file.whole("head_dim", {2, kMostHeadDim});
  spec.head_dim = head_dim.value_or(spec.hidden / spec.heads);
  if (file.problems().errors.empty()) check_heads(file, head_dim.has_value(), spec);
}

void read_body(ObjectReader& file, const Family& family, ModelSpec& spec) {
  spec.hidden = file.required_whole("hidden_size", {1, kMostHidden});
  spec.vocabulary = file.required_whole("vocab_size", {1, kMostVocabulary});
  spec.layers.resize(static_cast<std::size_t>(file.required_whole("num_hidden_layers", {1, kMostLayers})));
  spec.mlp_width = file.required_whole("intermediate_size", {1, kMostWidth});
  spec.max_positions = file.whole("max_position_embeddings", {1, kMostPositions}).value_or(0);
  spec.norm_eps = file.real("rms_norm_eps", 0, 1).value_or(spec.norm_eps);
  spec.tied = file.flag("tie_word_embeddings", false);
  if (family.mlp_bias) spec.mlp_bias = file.flag("mlp_bias", false);
  const std::optional<std::string> activation = file.text("hidden_act");
  if (activation && *activation != "silu" && *activation != "swish") {
    file.error("hidden_act", fmt::format("'{}' is not supported", *activation), "these families use silu");
  }
}

}  // namespace

LoadedModel load_model_text(const std::string& text, const std::string& file) {
  const JsonNode root = parse_json_tree(text, file);
  Problems problems{file, {}, {}, readable_keys()};
  const std::vector<std::string> others = keys_without_effect();
  problems.known.insert(problems.known.end(), others.begin(), others.end());
  ObjectReader reader(root, problems);
  ModelSpec spec;
  spec.file = file;
  if (const Family* const family = read_family(reader); family != nullptr) {
    spec.family = family->model_type;
    check_architecture(reader, *family);
    read_body(reader, *family, spec);
    read_attention(reader, *family, spec);
    read_experts(reader, *family, spec);
    read_windows(reader, *family, spec);
    read_rope(reader, spec);
    read_storage(reader, spec);
    check_remaining_keys(reader, readable_keys());
  }
  topology::throw_if_any(problems.errors);
  return {std::move(spec), std::move(problems.warnings)};
}

LoadedModel load_model(const std::string& file) {
  std::vector<Diagnostic> problems;
  const std::optional<std::string> text =
      topology::read_file(file, "give the config.json of a Hugging Face model", problems);
  topology::throw_if_any(problems);
  return load_model_text(*text, file);
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Family& family : families()) names.emplace_back(family.model_type);
  return names;
}

std::string ModelSpec::name() const {
  const std::filesystem::path path(file);
  const bool folder_names_it = path.filename() == "config.json" && path.has_parent_path();
  return folder_names_it ? path.parent_path().filename().string() : path.stem().string();
}

std::int64_t ModelSpec::cache_elements() const {
  return mla ? mla->kv_rank + mla->rope_dim : 2 * kv_heads * head_dim;
}

}  // namespace kb::model
