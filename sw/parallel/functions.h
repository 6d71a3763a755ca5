// Operations between the layers of a model, on one rank's part of it.
#pragma once

#include <cstdint>
#include <string>

#include "sw/parallel/model_parallel.h"

namespace kb::sw {

// Element-wise operations in place of the elements; the result has the placement of x. Only for floats (DTYPE_ERROR),
// except add and relu.
Tensor relu(ModelParallel& mp, const Tensor& x);
Tensor gelu(ModelParallel& mp, const Tensor& x);  // tanh form
Tensor silu(ModelParallel& mp, const Tensor& x);
Tensor swiglu(ModelParallel& mp, const Tensor& gate, const Tensor& x);  // silu(gate) * x
// Adds two tensors of equal shape (SHAPE_ERROR). When one is split by columns and the other has whole rows, the result
// has whole rows.
Tensor add(ModelParallel& mp, const Tensor& x, const Tensor& y);

// (x - mean) / sqrt(variance + eps) * gamma + beta for each row; gamma and beta (1, n). Every cube computes its own
// copy, so that the result has whole rows.
Tensor layer_norm(ModelParallel& mp, const Tensor& x, const Tensor& gamma, const Tensor& beta, double eps = 1e-5);

struct AttentionShape {  // for one rank
  std::int64_t heads = 1, kv_heads = 1, head_dim = 64;
  bool causal = true;
};
// Self-attention of the rows of qkv (m, (heads + 2 kv_heads) head_dim), which hold query heads, then keys, then values:
// (m, heads head_dim), split by rows. SHAPE_ERROR when the sizes do not match.
Tensor self_attention(ModelParallel& mp, const Tensor& qkv, const AttentionShape& shape,
                      const std::string& name = "attention");

}  // namespace kb::sw
