// One block of a decoder: attention and MLP, each behind a normalisation and beside a residual path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sw/parallel/functions.h"
#include "sw/parallel/mlp.h"

namespace kb::sw {

struct TransformerOptions {
  std::int64_t width = 256;  // of the residual stream
  std::int64_t heads = 8, kv_heads = 8;
  std::int64_t head_dim = 32;
  std::int64_t inner = 1024;  // of the MLP
  Activation activation = Activation::gelu;
  bool causal = true;
  bool bias = true;
  double eps = 1e-5;
  Dtype dtype = Dtype::f16;
  std::optional<std::uint64_t> seed;  // of qkv; projection, up, down and gate have the next ones; absent: zeros
  InitialValues values = InitialValues::uniform;  // what the seed gives
  std::string name = "block";
  MemoryKind memory = MemoryKind::hbm;  // what the weights lie in
};

// y = h + mlp(norm(h)), h = x + projection(attention(qkv(norm(x)))). Heads are split over the ranks: queries, keys and
// values by columns, the projection by rows. Two all-reduces. The norms scale by 1 and shift by 0.
class TransformerBlock {
 public:
  // SHAPE_ERROR when heads, kv_heads or inner cannot be split evenly over the ranks; errors of the layers.
  TransformerBlock(ModelParallel& mp, const TransformerOptions& options);
  // x (m, width), whole on every rank -> (m, width), the same on every rank. The m rows are one sequence.
  Tensor forward(const Tensor& x) const;

 private:
  ModelParallel& mp_;
  TransformerOptions options_;
  AttentionShape attention_;
  ColumnParallelLinear qkv_;
  RowParallelLinear projection_;
  ParallelMlp mlp_;
  Tensor ones_, zeros_;  // of the norms
};

}  // namespace kb::sw
