#include "kernels/attention/causal_mask.h"

namespace kb::kernels {

tl::TensorHandle causal_mask(tl::Context& tl, std::int64_t row, std::int64_t rows, std::int64_t key,
                             std::int64_t keys) {
  constexpr double kMasked = -1e30;  // its exponential is 0; finite for a million keys
  const tl::TensorHandle row_index = tl.view(tl.arange(row, row + rows, Dtype::f32), 0, {rows, 1});
  tl::TensorHandle distance = tl.arange(key, key + keys, Dtype::f32) - row_index;
  tl.compute_into(distance, MathOp::relu, {distance});
  tl.compute_into(distance, MathOp::mul, {distance, kMasked});
  return distance;
}

}  // namespace kb::kernels
