// What lies between the layers of a model, on one rank's part of it.
#pragma once

#include <cstdint>
#include <string>

#include "sw/parallel/model_parallel.h"

namespace kb::sw {

// Element by element, where the elements lie; the result is placed like x. Floats only (DTYPE_ERROR), but add and relu.
Tensor relu(ModelParallel& mp, const Tensor& x);
Tensor gelu(ModelParallel& mp, const Tensor& x);  // tanh form
Tensor silu(ModelParallel& mp, const Tensor& x);
Tensor swiglu(ModelParallel& mp, const Tensor& gate, const Tensor& x);  // silu(gate) * x
// Two tensors of one shape (SHAPE_ERROR). When one is split by columns and the other has whole rows, so has the result.
Tensor add(ModelParallel& mp, const Tensor& x, const Tensor& y);

// (x - mean) / sqrt(variance + eps) * gamma + beta of each row; gamma and beta (1, n). Every cube computes it for its
// own copy, so the result has whole rows.
Tensor layer_norm(ModelParallel& mp, const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps = 1e-5);

struct AttentionShape {  // of one rank
  std::int64_t heads = 1, kv_heads = 1, head_dim = 64;
  bool causal = true;
};
// Attention of the rows of qkv (m, (heads + 2 kv_heads) head_dim), query heads, then keys, then values, over
// themselves: (m, heads head_dim), split by rows. SHAPE_ERROR when the sizes do not fit.
Tensor self_attention(ModelParallel& mp, const Tensor& qkv, const AttentionShape& shape,
                      const std::string& name = "attention");

}  // namespace kb::sw
