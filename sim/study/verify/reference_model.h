// A dense decoder model in double, one token after the other: what the launches of a step are compared with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/model/model_spec.h"
#include "sim/study/verify/model_weights.h"
#include "sim/study/verify/reference_rope.h"

namespace kb::verify {

// Keys (after their rotation) and values of a layer: [tokens][K/V heads][head_dim].
struct LayerCache {
  std::vector<double> k, v;
};

// Plain loops that share no code with the kernels. Conventions are those of transformers: modeling_llama.py,
// modeling_mistral.py, modeling_qwen2.py, modeling_qwen3.py. The arguments outlive it.
class ReferenceModel {
 public:
  ReferenceModel(const model::ModelSpec& spec, const ModelWeights& weights)
      : spec_(spec), weights_(weights), rope_(spec.rope, spec.head_dim) {}

  struct Sequence {
    std::int64_t tokens = 0;
    std::vector<LayerCache> layers;
  };
  // Appends a token and returns the logits of the next one.
  std::vector<double> append(Sequence& sequence, std::int64_t token) const;

 private:
  using Vector = std::vector<double>;
  // y = W x + b of the product `name`, with the bias if the file calls for one.
  Vector product(const std::string& name, const Vector& x, bool bias) const;
  Vector normalized(const Vector& x, const std::string& weight) const;
  // In place: norm and rotation of heads that lie one behind the other.
  void prepare_heads(Vector& heads, const std::string& norm, std::int64_t position) const;
  Vector attention(const Vector& queries, const LayerCache& cache, std::int64_t position, std::int64_t window) const;
  Vector attention_block(const Vector& x, std::int64_t layer, LayerCache& cache, std::int64_t position) const;
  Vector mlp_block(const Vector& x, std::int64_t layer) const;

  const model::ModelSpec& spec_;
  const ModelWeights& weights_;
  ReferenceRope rope_;
};

// The first of the largest.
std::int64_t largest(const std::vector<double>& logits);

}  // namespace kb::verify
