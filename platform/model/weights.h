// The weight tensors of a model, by the names and shapes of Hugging Face's files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/model/model_spec.h"
#include "platform/model/parallel_plan.h"

namespace kb::model {

// How a weight is divided over the SIPs of a stage.
enum class Cut : std::uint8_t {
  whole,           // each SIP has all of it
  rows,            // rows, which are outputs of the product, over tp; a remainder is filled up
  kv_rows,         // rows by K/V heads over tp; a head lies on several SIPs when there are more SIPs
  columns,         // columns, which are summed over, over tp
  expert_rows,     // experts over ep, rows of each over the rest
  expert_columns,  // experts over ep, columns of each over the rest
};
std::string cut_text(Cut cut, const ParallelPlan& plan);  // "rows / 8"

inline constexpr std::int64_t kNoLayer = -1;

struct WeightTensor {
  std::string role;  // name inside its layer: "self_attn.q_proj.weight"; '*' stands for each expert
  std::int64_t layer = kNoLayer;
  Shape shape;               // [rows, columns] or [elements], of one expert
  std::int64_t experts = 1;  // tensors of this shape; they lie together
  Dtype dtype = Dtype::bf16;
  std::optional<BlockScales> scales;  // a 32-bit scale for each block
  Cut cut = Cut::whole;

  std::string name() const;       // "model.layers.3.self_attn.q_proj.weight"
  std::int64_t elements() const;  // of all experts
  std::int64_t rows() const { return shape.front(); }
  std::int64_t columns() const { return shape.size() > 1 ? shape[1] : 1; }
  // Shape on one SIP, with the experts as first dimension where there are any.
  Shape local_shape(const ModelSpec& spec, const ParallelPlan& plan) const;
  std::uint64_t local_bytes(const ModelSpec& spec, const ParallelPlan& plan) const;  // with scales
};

// `dtype` is that of all tensors that the model does not store in another one by itself. Tensors lie in the order in
// which they are used.
std::vector<WeightTensor> layer_weights(const ModelSpec& spec, std::int64_t layer, Dtype dtype);
WeightTensor embedding_weight(const ModelSpec& spec, Dtype dtype);
WeightTensor final_norm_weight(const ModelSpec& spec, Dtype dtype);
WeightTensor head_weight(const ModelSpec& spec, Dtype dtype);  // of a tied model: the embedding

// All tensors of the file; a tied model has no head.
std::vector<WeightTensor> all_weights(const ModelSpec& spec, Dtype dtype);

struct ParameterCount {
  std::int64_t all = 0;     // without scales
  std::int64_t active = 0;  // used for one token: top_k of the experts
};
ParameterCount parameters(const ModelSpec& spec);

}  // namespace kb::model
