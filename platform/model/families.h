// What the families of models do not write into their files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/model/model_spec.h"
#include "platform/model/object_reader.h"

namespace kb::model {

enum class Windowing : std::uint8_t {
  none,    // no sliding window
  plain,   // sliding_window holds in every layer
  chosen,  // only with use_sliding_window, from layer max_window_layers on, or as layer_types say (Qwen)
};
enum class Experts : std::uint8_t { none, mixtral, qwen, deepseek };

struct Family {
  std::string_view model_type;
  std::string_view architecture;
  bool own_kv_heads;    // num_key_value_heads may be missing: as many as heads
  bool attention_bias;  // the key of that name decides about biases; otherwise `qkv_bias` does
  bool qkv_bias;
  bool qk_norm;
  bool mlp_bias;  // the key of that name is read
  Windowing windowing;
  Experts experts;
};

const std::vector<Family>& families();

// The readers of parts of a file; they report problems and go on.
void read_rope(ObjectReader& file, ModelSpec& spec);
void read_windows(ObjectReader& file, const Family& family, ModelSpec& spec);
void read_mla(ObjectReader& file, ModelSpec& spec);
void read_experts(ObjectReader& file, const Family& family, ModelSpec& spec);
void read_storage(ObjectReader& file, ModelSpec& spec);  // dtype and block scales

}  // namespace kb::model
