#include "sim/study/requests/model_file.h"

#include <algorithm>
#include <map>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "sim/study/files/json_file.h"
#include "sim/study/requests/json_members.h"

namespace kb::requests {
namespace {

std::int64_t bytes_of(const JsonMembers& config) {
  static const std::map<std::string, std::int64_t> kBytes = {{"bfloat16", 2},      {"float16", 2},     {"float32", 4},
                                                             {"float8_e4m3fn", 1}, {"float8_e5m2", 1}, {"int8", 1}};
  const std::string key = config.has("torch_dtype") ? "torch_dtype" : "dtype";
  const std::string dtype = config.text_or(key, "bfloat16");
  const auto found = kBytes.find(dtype);
  if (found != kBytes.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, bytes] : kBytes) names.push_back(name);
  config.fail(key, "'" + dtype + "' is not a type whose size is known", suggest(dtype, names));
}

void read_experts(const JsonMembers& config, profile::ServedModel& model) {
  const char* const key = config.has("num_local_experts") ? "num_local_experts" : "num_experts";
  model.experts = config.whole_or(key, 0, 0);
  const bool moe_type = profile::layer_kernels(model.type).back() == "moe";
  if (moe_type != (model.experts > 0)) {
    config.fail("model_type",
                "'" + model.type + "' and " + std::to_string(model.experts) + " experts contradict each other",
                "correct model_type or num_experts");
  }
  if (!moe_type) return;
  model.experts_per_token = config.whole("num_experts_per_tok", 1);
  model.expert_inner = config.whole_or("moe_intermediate_size", 1, model.inner);
  if (model.experts_per_token > model.experts) {
    config.fail("num_experts_per_tok", "is larger than the number of experts", "correct one of them");
  }
}

}  // namespace

profile::ServedModel read_model(const std::string& file) {
  const nlohmann::ordered_json json =
      files::read_json(file, files::kMaxReferenceBytes, "give the config.json of a Hugging Face model");
  const JsonMembers config(file, "", json);
  profile::ServedModel model;
  if (!config.has("model_type") && config.has("nodes")) {
    config.fail("model_type", "this is a cluster file", "give the config.json of the model; --cluster takes this file");
  }
  model.type = config.text("model_type");
  const std::vector<std::string>& types = profile::known_model_types();
  if (std::find(types.begin(), types.end(), model.type) == types.end()) {
    config.fail("model_type", "the layers of '" + model.type + "' are not known", suggest(model.type, types));
  }
  model.name = config.text_or("_name_or_path", model.type);
  model.hidden = config.whole("hidden_size", 1);
  model.layers = config.whole("num_hidden_layers", 1);
  model.heads = config.whole("num_attention_heads", 1);
  model.kv_heads = config.whole_or("num_key_value_heads", 1, model.heads);
  model.head_dim = config.whole_or("head_dim", 1, model.hidden / model.heads);
  model.inner = config.whole("intermediate_size", 1);
  model.vocabulary = config.whole("vocab_size", 1);
  model.max_positions = config.whole("max_position_embeddings", 1);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", false);
  model.element_bytes = model.kv_bytes = bytes_of(config);
  read_experts(config, model);
  return model;
}

}  // namespace kb::requests
