#include "platform/model/families.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/nearest.h"
#include "platform/model/limits.h"

namespace kb::model {
namespace {

// Whether layers have a window, by the list that newer files have.
void read_layer_types(ObjectReader& file, std::int64_t window, ModelSpec& spec) {
  const JsonNode* const types = file.value("layer_types");
  if (types == nullptr) return;
  if (types->kind != JsonNode::Kind::list || types->items.size() != spec.layers.size()) {
    file.error("layer_types", fmt::format("does not have one text for each of the {} layers", spec.layers.size()),
               "full_attention or sliding_attention");
    return;
  }
  const std::vector<std::string> known = {"full_attention", "sliding_attention"};
  for (std::size_t layer = 0; layer < spec.layers.size(); ++layer) {
    const std::string& type = types->items[layer].text;
    if (std::find(known.begin(), known.end(), type) == known.end()) {
      file.error("layer_types", fmt::format("layer {} is {}", layer, types->items[layer].described()),
                 suggest(type, known));
      return;
    }
    const bool slides = type == known[1];
    if (slides && window == 0) {
      file.error("layer_types", fmt::format("layer {} has a sliding window, but there is none", layer),
                 "add sliding_window, and use_sliding_window where the family has it");
      return;
    }
    spec.layers[layer].window = slides ? window : 0;
  }
}

// Scales of weights in blocks, as DeepSeek-V3 has them; other quantisation changes arithmetic that is not modelled.
void read_scales(const ObjectReader& file, ModelSpec& spec) {
  ObjectReader scales(file, "quantization_config");
  const std::string method = scales.text("quant_method").value_or("");
  const std::string format = scales.text("fmt").value_or("e4m3");
  scales.text("activation_scheme");  // activations stay as they are here
  if (method != "fp8" || format != "e4m3") {
    scales.error(method != "fp8" ? "quant_method" : "fmt",
                 fmt::format("weights stored as '{}' are not supported", method != "fp8" ? method : format),
                 "fp8 with fmt e4m3 is; give --dtype bf16 and a file without quantization_config to time the model "
                 "without it");
    return;
  }
  const std::vector<std::int64_t> block = scales.wholes("weight_block_size", {1, kMostWidth});
  if (block.size() != 2) {
    scales.error("weight_block_size", "does not have two numbers", "rows and columns of a block, e.g. [128, 128]");
    return;
  }
  spec.scales = BlockScales{Dtype::e4m3, block[0], block[1]};
}

std::optional<Dtype> read_dtype(ObjectReader& file, const std::string& key) {
  const std::optional<std::string> name = file.text(key);
  if (!name) return std::nullopt;
  if (*name == "bfloat16") return Dtype::bf16;
  if (*name == "float16") return Dtype::f16;
  if (*name == "float32") return Dtype::f32;
  file.error(key, fmt::format("'{}' is not supported", *name), suggest(*name, {"bfloat16", "float16", "float32"}));
  return std::nullopt;
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> rows = {
      {"llama", "LlamaForCausalLM", true, true, false, false, true, Windowing::none, Experts::none},
      {"mistral", "MistralForCausalLM", false, false, false, false, false, Windowing::plain, Experts::none},
      {"mixtral", "MixtralForCausalLM", false, false, false, false, false, Windowing::plain, Experts::mixtral},
      {"qwen2", "Qwen2ForCausalLM", false, false, true, false, false, Windowing::chosen, Experts::none},
      {"qwen3", "Qwen3ForCausalLM", false, true, false, true, false, Windowing::chosen, Experts::none},
      {"qwen3_moe", "Qwen3MoeForCausalLM", false, true, false, true, false, Windowing::chosen, Experts::qwen},
      {"deepseek_v3", "DeepseekV3ForCausalLM", true, true, false, false, false, Windowing::none, Experts::deepseek}};
  return rows;
}

void read_windows(ObjectReader& file, const Family& family, ModelSpec& spec) {
  if (family.windowing == Windowing::none) return;
  const std::int64_t window = file.whole("sliding_window", {1, kMostPositions}).value_or(0);
  std::int64_t first = 0;  // layer with a window
  std::int64_t in_use = window;
  if (family.windowing == Windowing::chosen) {
    if (!file.flag("use_sliding_window", false)) in_use = 0;
    first = file.whole("max_window_layers", {0, kMostLayers}).value_or(0);
    if (in_use > 0 && !file.has("max_window_layers")) file.missing("max_window_layers");
  }
  for (std::size_t layer = 0; layer < spec.layers.size(); ++layer) {
    spec.layers[layer].window = static_cast<std::int64_t>(layer) >= first ? in_use : 0;
  }
  read_layer_types(file, in_use, spec);
}

void read_mla(ObjectReader& file, ModelSpec& spec) {
  MlaSpec mla;
  file.whole("num_key_value_heads", {1, kMostHeads});  // the latent serves all heads
  mla.q_rank = file.whole("q_lora_rank", {1, kMostHidden}).value_or(0);
  mla.kv_rank = file.required_whole("kv_lora_rank", {1, kMostHidden});
  mla.nope_dim = file.required_whole("qk_nope_head_dim", {1, kMostHeadDim});
  mla.rope_dim = file.required_whole("qk_rope_head_dim", {2, kMostHeadDim});
  mla.v_dim = file.required_whole("v_head_dim", {1, kMostHeadDim});
  const std::int64_t whole_dim = mla.nope_dim + mla.rope_dim;
  const std::int64_t written = file.whole("qk_head_dim", {1, 2 * kMostHeadDim}).value_or(whole_dim);
  if (written != whole_dim) {
    file.error("qk_head_dim", fmt::format("is {}, but qk_nope_head_dim + qk_rope_head_dim is {}", written, whole_dim),
               "leave it out");
  }
  file.whole("head_dim", {1, kMostHeadDim});  // some files repeat the rotated part
  if (mla.rope_dim % 2 != 0)
    file.error("qk_rope_head_dim", "is odd, so that it has no halves to rotate", "use an even number");
  spec.kv_heads = 1;
  spec.head_dim = whole_dim;
  spec.mla = mla;
}

void read_storage(ObjectReader& file, ModelSpec& spec) {
  const std::optional<Dtype> old_key = read_dtype(file, "torch_dtype"), new_key = read_dtype(file, "dtype");
  if (old_key && new_key && *old_key != *new_key) {
    file.error("dtype", fmt::format("is {}, but torch_dtype is {}", dtype_name(*new_key), dtype_name(*old_key)),
               "leave one of them out");
  }
  spec.dtype = new_key ? new_key : old_key;
  const JsonNode* const config = file.value("quantization_config");
  if (config == nullptr) return;
  if (config->kind != JsonNode::Kind::object) {
    file.error("quantization_config", "is " + config->described(), "an object with quant_method");
    return;
  }
  read_scales(file, spec);
}

}  // namespace kb::model
