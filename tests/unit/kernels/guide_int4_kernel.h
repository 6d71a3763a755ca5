// The kernel with int4 weights of docs/guides/kernels.md; a test keeps the two alike.
#pragma once

// guide: begin
#include "kernels/tl/tl.h"

// y = x * w with weights in int4: a byte of w, (k, n / 2), has two columns, and each `group` rows of a column have one
// factor of scale, (k / group, n). Bytes of the next group are loaded while this one is computed with.
inline void int4_matmul(kb::tl::Context& tl, kb::tl::Ptr x, kb::tl::Ptr w, kb::tl::Ptr scale, kb::tl::Ptr y,
                        std::int64_t group) {
  const std::int64_t m = x.shape()[0], k = x.shape()[1], n = y.shape()[1];
  const kb::tl::TensorHandle sum = tl.zeros({m, n}, kb::Dtype::f32);
  const kb::tl::TensorHandle bytes[2] = {tl.empty({group, n / 2}, kb::Dtype::i8),
                                         tl.empty({group, n / 2}, kb::Dtype::i8)};
  kb::tl::Future next = tl.load_into_async(bytes[0], w);
  for (std::int64_t i = 0; i < k / group; ++i) {
    const kb::tl::Scratch scope(tl);
    const kb::tl::TensorHandle now = tl.wait(next);
    if (i + 1 < k / group) next = tl.load_into_async(bytes[(i + 1) % 2], w + (i + 1) * group * n / 2);
    const auto weights = tl.cast(tl.unpack_int4(now), kb::Dtype::f16);
    const auto part = tl.dot(tl.load(x + i * group, {m, group}, std::nullopt, k), weights, kb::Dtype::f32);
    tl.compute_into(sum, kb::MathOp::fma, {part, tl.load(scale + i * n, {1, n}), sum});
  }
  tl.store(y, tl.cast(sum, y.dtype()));
}

inline kb::contract::Kernel int4_matmul_kernel() {
  return kb::tl::make_kernel("int4_matmul", "y = x * w, weights in int4", {"x", "w", "scale", "y", "group"},
                             int4_matmul);
}
// guide: end
