// A decoder-only language model: what its file says, checked, with all defaults filled in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/base/error.h"

namespace kb::model {

enum class RopeType : std::uint8_t { plain, linear, llama3, yarn };

struct RopeSpec {
  RopeType type = RopeType::plain;
  double theta = 10000.0;
  double factor = 1.0;                                   // linear, llama3, yarn
  double low_freq_factor = 1.0, high_freq_factor = 4.0;  // llama3
  double beta_fast = 32.0, beta_slow = 1.0;              // yarn
  double mscale = 1.0, mscale_all_dim = 0.0;             // yarn
  std::int64_t original_positions = 0;                   // llama3, yarn
  bool interleaved = false;                              // neighbours turn together, otherwise halves
};

// Multi-head latent attention: one latent vector and one rotated key per token stand for the keys and values of all
// heads.
struct MlaSpec {
  std::int64_t q_rank = 0;  // 0: queries are projected directly
  std::int64_t kv_rank = 0;
  std::int64_t nope_dim = 0, rope_dim = 0;  // parts of a query and a key, per head
  std::int64_t v_dim = 0;
};

enum class RouterKind : std::uint8_t {
  softmax,       // weights of the chosen experts come from a softmax over all
  sigmoid_bias,  // experts are chosen by sigmoid + bias in groups (DeepSeek-V3)
};

struct MoeSpec {
  std::int64_t experts = 0;
  std::int64_t top_k = 0;
  std::int64_t width = 0;         // of one expert
  std::int64_t shared_width = 0;  // of the expert that every token takes; 0: there is none
  RouterKind router = RouterKind::softmax;
  std::int64_t groups = 1, top_groups = 1;
  double scaling = 1.0;
  bool normalized = false;  // weights of the chosen experts are divided by their sum
};

// Weights in 8-bit floats with a 32-bit scale per block of rows and columns.
struct BlockScales {
  Dtype dtype = Dtype::e4m3;
  std::int64_t rows = 128, columns = 128;
};

struct LayerSpec {
  bool moe = false;
  std::int64_t window = 0;  // keys that a token sees, with its own; 0: all
};

struct ModelSpec {
  std::string file;
  std::string family;  // model_type of the file
  std::int64_t hidden = 0;
  std::int64_t mlp_width = 0;  // of dense layers
  std::int64_t vocabulary = 0;
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;
  std::int64_t max_positions = 0;  // 0: the file does not say
  bool qkv_bias = false, o_bias = false, mlp_bias = false;
  bool qk_norm = false;  // RMSNorm of each head of queries and keys
  bool tied = false;     // the head is the embedding
  double norm_eps = 1e-6;
  std::optional<Dtype> dtype;  // no value: the file does not say
  std::optional<BlockScales> scales;
  RopeSpec rope;
  std::optional<MlaSpec> mla;
  std::optional<MoeSpec> moe;
  std::vector<LayerSpec> layers;
  std::int64_t mtp_layers = 0;  // layers that predict further tokens, left out

  // Name for people: the file without folder and suffix, or the folder's of a config.json.
  std::string name() const;
  std::int64_t layer_count() const { return static_cast<std::int64_t>(layers.size()); }
  // Elements that the cache keeps of one token in one layer, on all ranks together.
  std::int64_t cache_elements() const;
};

struct LoadedModel {
  ModelSpec spec;
  std::vector<Diagnostic> warnings;  // unknown keys, and layers that are left out
};

// Reads the config.json of a Hugging Face model: Llama 2 and 3, Mistral, Mixtral, Qwen2, Qwen3, Qwen3-MoE, DeepSeek-V3.
// Configuration Error with all problems, each with file, line and key: keys that are missing, contradict each other, or
// change the arithmetic in a manner that is not supported.
LoadedModel load_model(const std::string& file);
LoadedModel load_model_text(const std::string& text, const std::string& file);

// Families by model_type.
std::vector<std::string> family_names();

}  // namespace kb::model
