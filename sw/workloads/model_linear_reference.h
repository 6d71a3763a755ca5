// Reference of norm_linear: a product of a step of a language model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/data/running_error.h"
#include "platform/data/verification.h"
#include "sw/tensor/host_array.h"
#include "sw/workloads/contents.h"

namespace kb::sw {

// Weights whose products with inputs of any size k have the size of the inputs, so that SwiGLU fits f16.
HostArray model_weights(Contents contents, const Shape& shape, Dtype dtype, std::uint64_t seed);

struct ModelLinear {
  const HostArray* residual = nullptr;  // (m, k); null: x only
  const HostArray* x = nullptr;         // (m, k)
  const HostArray* gamma = nullptr;     // (1, k); null: no norm
  const HostArray* bias = nullptr;      // (1, n); null: none
  double eps = 0;
  std::int64_t pes = 1;  // parts of k whose sums are added up
};

// residual + x, rounded to the dtype.
data::BoundedMatrix model_linear_input(const ModelLinear& problem);
// Outputs `columns` of y, from these rows of W and, with SwiGLU, of W2 (both (columns, k)).
data::VerificationRow model_linear_row(const ModelLinear& problem, const data::BoundedMatrix& input, const HostArray& w,
                                       const HostArray* w2, const std::vector<std::int64_t>& columns,
                                       const HostArray& y);

}  // namespace kb::sw
