// What serving needs to know of a model: its layers and the sizes of weights, keys and values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kb::profile {

struct ServedModel {
  std::string type;  // "llama"
  std::string name;  // as results name it
  std::int64_t hidden = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;
  std::int64_t inner = 0;         // of the feed-forward network
  std::int64_t expert_inner = 0;  // of one expert
  std::int64_t vocabulary = 0;
  std::int64_t max_positions = 0;
  std::int64_t experts = 0;  // 0: no mixture of experts
  std::int64_t experts_per_token = 0;
  bool tied_embeddings = false;
  std::int64_t element_bytes = 2;  // of weights and activations
  std::int64_t kv_bytes = 2;       // of an element of the K/V cache
};

// Tensor and expert parallel ranks.
struct Ranks {
  std::int64_t tp = 1, ep = 1;
};

// Model types whose layers are known (M-61).
const std::vector<std::string>& known_model_types();
// Names of the kernels of one layer in the order of their execution; the type is a known one.
const std::vector<std::string>& layer_kernels(const std::string& model_type);
// Kernels whose time does not depend on tensor parallelism.
bool is_tp_stable(const std::string& kernel);

// Bytes of the weights of one rank, and of keys and values of one token on it. K/V heads are replicated where there are
// fewer than ranks.
std::int64_t weight_bytes(const ServedModel& model, Ranks ranks);
std::int64_t kv_bytes_per_token(const ServedModel& model, Ranks ranks);

}  // namespace kb::profile
