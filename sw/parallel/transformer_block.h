// A decoder block: attention and MLP, each with a preceding normalisation and a residual connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sw/parallel/functions.h"
#include "sw/parallel/mlp.h"

namespace kb::sw {

struct TransformerOptions {
  std::int64_t width = 256;  // width of the residual stream
  std::int64_t heads = 8, kv_heads = 8;
  std::int64_t head_dim = 32;
  std::int64_t inner = 1024;  // width inside the MLP
  Activation activation = Activation::gelu;
  bool causal = true;
  bool bias = true;
  double eps = 1e-5;
  Dtype dtype = Dtype::f16;
  // seed of qkv; projection, up, down and gate use the following ones; no value: zeros
  std::optional<std::uint64_t> seed;
  InitialValues values = InitialValues::uniform;  // kind of initial values
  std::string name = "block";
  MemoryKind memory = MemoryKind::hbm;  // memory of the weights
};

// y = h + mlp(norm(h)), h = x + projection(attention(qkv(norm(x)))). Heads are split over the ranks: queries, keys and
// values by columns, the projection by rows. It needs two all-reduces. The norms scale by 1 and shift by 0.
class TransformerBlock {
 public:
  // SHAPE_ERROR when heads, kv_heads or inner do not divide evenly over the ranks; also the errors of the layers.
  TransformerBlock(ModelParallel& mp, const TransformerOptions& options);
  // x (m, width), whole on every rank -> (m, width), equal on every rank. The m rows are one sequence.
  Tensor forward(const Tensor& x) const;

 private:
  ModelParallel& mp_;
  TransformerOptions options_;
  AttentionShape attention_;
  ColumnParallelLinear qkv_;
  RowParallelLinear projection_;
  ParallelMlp mlp_;
  Tensor ones_, zeros_;  // parameters of the norms
};

}  // namespace kb::sw
