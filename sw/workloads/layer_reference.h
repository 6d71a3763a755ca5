// Host reference of a chain of layers in running error analysis, with bounds after each step and each store.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/data/running_error.h"
#include "sw/parallel/functions.h"
#include "sw/parallel/mlp.h"
#include "sw/tensor/host_array.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

// Layers of a model with ranks that compute in `dtype`, as plain loops over the whole, unsplit matrices. The result of
// a layer is rounded to the dtype.
class LayerReference {
 public:
  using Matrix = data::BoundedMatrix;
  // Rows of a weight are split evenly, or in equal parts that are a multiple of `grain`, the last ones padded.
  LayerReference(Dtype dtype, int ranks, std::int64_t grain = 1) : dtype_(dtype), ranks_(ranks), grain_(grain) {}

  // x W + b; `split_sum`: partial products of the ranks are rounded before they are added (row-parallel).
  Matrix linear(const Matrix& x, const HostArray& w, const HostArray* bias, bool split_sum) const;
  Matrix activate(Activation activation, const Matrix& x) const;  // all activations except swiglu
  Matrix swiglu(const Matrix& gate, const Matrix& x) const;
  Matrix add(const Matrix& x, const Matrix& y) const;
  Matrix layer_norm(const Matrix& x, double eps) const;
  // Attention with all heads of the model.
  Matrix attention(const Matrix& qkv, const AttentionShape& shape) const;

  // `steps` describes the layers for the report.
  data::VerificationRow row(const std::string& tensor, const HostArray& actual, const Matrix& expected,
                            const std::string& steps) const;

 private:
  Matrix summed_over_ranks(const Matrix& x, const Matrix& w) const;
  std::size_t share(std::size_t rows) const;

  Dtype dtype_;
  int ranks_;
  std::int64_t grain_;
};

}  // namespace kb::sw
