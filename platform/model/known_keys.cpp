#include "platform/model/known_keys.h"

#include <algorithm>
#include <array>
#include <string>

#include "platform/base/nearest.h"

namespace kb::model {
namespace {

// Tokens, training, generation and provenance: no time depends on them.
constexpr std::array kWithoutEffect = {"_attn_implementation",
                                       "_attn_implementation_autoset",
                                       "_name_or_path",
                                       "architectures",
                                       "attention_dropout",
                                       "attn_implementation",
                                       "auto_map",
                                       "aux_loss_alpha",
                                       "bos_token_id",
                                       "cache_implementation",
                                       "chunk_size_feed_forward",
                                       "classifier_dropout",
                                       "do_sample",
                                       "embd_pdrop",
                                       "eos_token_id",
                                       "ep_size",
                                       "finetuning_task",
                                       "hidden_dropout",
                                       "id2label",
                                       "initializer_range",
                                       "is_decoder",
                                       "label2id",
                                       "max_length",
                                       "max_new_tokens",
                                       "output_attentions",
                                       "output_hidden_states",
                                       "output_router_logits",
                                       "pad_token_id",
                                       "pretraining_tp",
                                       "problem_type",
                                       "resid_pdrop",
                                       "return_dict",
                                       "router_aux_loss_coef",
                                       "router_jitter_noise",
                                       "seq_aux",
                                       "task_specific_params",
                                       "temperature",
                                       "tokenizer_class",
                                       "top_p",
                                       "transformers_version",
                                       "unk_token_id",
                                       "unsloth_fixed",
                                       "unsloth_version",
                                       "use_cache",
                                       "use_flash_attn"};

// A key that changes what is computed, and the number or flag with which it does not.
struct ArithmeticKey {
  const char* name;
  double neutral;
};
constexpr std::array kArithmetic = {ArithmeticKey{"add_cross_attention", 0},
                                    ArithmeticKey{"alibi", 0},
                                    ArithmeticKey{"attention_chunk_size", 0},
                                    ArithmeticKey{"attention_multiplier", 1},
                                    ArithmeticKey{"attn_logit_softcapping", 0},
                                    ArithmeticKey{"clip_qkv", 0},
                                    ArithmeticKey{"cross_attention_layers", 0},
                                    ArithmeticKey{"embedding_multiplier", 1},
                                    ArithmeticKey{"final_logit_softcapping", 0},
                                    ArithmeticKey{"interleave_moe_layer_step", 0},
                                    ArithmeticKey{"is_encoder_decoder", 0},
                                    ArithmeticKey{"logit_scale", 1},
                                    ArithmeticKey{"logits_scaling", 1},
                                    ArithmeticKey{"no_rope_layers", 0},
                                    ArithmeticKey{"parallel_attn", 0},
                                    ArithmeticKey{"partial_rotary_factor", 1},
                                    ArithmeticKey{"quantization", 0},
                                    ArithmeticKey{"query_pre_attn_scalar", 0},
                                    ArithmeticKey{"residual_multiplier", 1},
                                    ArithmeticKey{"rotary_pct", 1},
                                    ArithmeticKey{"shared_expert_intermediate_size", 0},
                                    ArithmeticKey{"sliding_window", 0},
                                    ArithmeticKey{"sliding_window_pattern", 0},
                                    ArithmeticKey{"text_config", 0},
                                    ArithmeticKey{"use_mrope", 0},
                                    ArithmeticKey{"use_parallel_residual", 0},
                                    ArithmeticKey{"use_qk_norm", 0},
                                    ArithmeticKey{"vision_config", 0}};

bool is_neutral(const JsonNode& value, double neutral) {
  switch (value.kind) {
    case JsonNode::Kind::null:
      return true;
    case JsonNode::Kind::boolean:
      return neutral == 0 && !value.boolean;
    case JsonNode::Kind::integer:
    case JsonNode::Kind::real:
      return value.real == neutral;
    case JsonNode::Kind::list:
      return value.items.empty();
    case JsonNode::Kind::text:
    case JsonNode::Kind::object:
      return false;
  }
  return false;
}

}  // namespace

std::vector<std::string> keys_without_effect() {
  return {kWithoutEffect.begin(), kWithoutEffect.end()};
}

void check_remaining_keys(ObjectReader& object, const std::vector<std::string>& read_elsewhere) {
  std::vector<std::string> known = read_elsewhere;
  known.insert(known.end(), kWithoutEffect.begin(), kWithoutEffect.end());
  for (const ArithmeticKey& key : kArithmetic) known.emplace_back(key.name);
  for (const JsonMember* const member : object.unread()) {
    const std::string& key = member->key;
    if (std::find(kWithoutEffect.begin(), kWithoutEffect.end(), key) != kWithoutEffect.end()) continue;
    const auto* const found = std::find_if(kArithmetic.begin(), kArithmetic.end(),
                                           [&key](const ArithmeticKey& one) { return one.name == key; });
    if (found != kArithmetic.end()) {
      if (is_neutral(member->node(), found->neutral)) continue;
      object.error(key, "is " + member->node().described() + ", which changes what this kind of model computes",
                   "this is not supported; leave the key out if the model is to be timed without it");
      continue;
    }
    if (std::find(read_elsewhere.begin(), read_elsewhere.end(), key) != read_elsewhere.end()) {
      if (!is_neutral(member->node(), 0)) object.warn(key, "has no effect in this kind of model");
      continue;
    }
    const std::string near = nearest_name(key, known);
    object.warn(key, "is not known and has no effect", near.empty() ? "" : "did you mean '" + near + "'?");
  }
}

}  // namespace kb::model
