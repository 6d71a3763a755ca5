// What tensor-parallel models give, as a reference of whole matrices.
#pragma once

#include <cstdint>

#include "sw/parallel/mlp.h"
#include "sw/parallel/transformer_block.h"
#include "sw/workloads/layer_reference.h"

namespace kb::sw {

// Weights and bias of a layer as `seed` makes them.
struct LayerValues {
  HostArray weight, bias;
  bool has_bias;
  const HostArray* bias_or_null() const { return has_bias ? &bias : nullptr; }
};
LayerValues layer_values(std::int64_t in, std::int64_t out, Dtype dtype, std::uint64_t seed, bool bias,
                         InitialValues values);

// The seed of the options is given.
data::BoundedMatrix expected_mlp(const LayerReference& reference, const data::BoundedMatrix& x, std::int64_t inner,
                                 const MlpOptions& options);
data::BoundedMatrix expected_block(const LayerReference& reference, const data::BoundedMatrix& x,
                                   const TransformerOptions& options);

}  // namespace kb::sw
