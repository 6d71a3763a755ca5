// Expected results of tensor-parallel models, computed on whole matrices.
#pragma once

#include <cstdint>

#include "sw/parallel/mlp.h"
#include "sw/parallel/transformer_block.h"
#include "sw/workloads/layer_reference.h"

namespace kb::sw {

// Weights and bias of a layer, generated from `seed`.
struct LayerValues {
  HostArray weight, bias;
  bool has_bias;
  const HostArray* bias_or_null() const { return has_bias ? &bias : nullptr; }
};
LayerValues layer_values(std::int64_t in, std::int64_t out, Dtype dtype, std::uint64_t seed, bool bias,
                         InitialValues values);

// Requires that the options have a seed.
data::BoundedMatrix expected_mlp(const LayerReference& reference, const data::BoundedMatrix& x, std::int64_t inner,
                                 const MlpOptions& options);
data::BoundedMatrix expected_block(const LayerReference& reference, const data::BoundedMatrix& x,
                                   const TransformerOptions& options);

}  // namespace kb::sw
