// The kernel with two buffers of docs/guides/kernels.md; a test keeps the two alike.
#pragma once

// guide: begin
#include <kernbench/kernels/tl/tl.h>

// out = the sum of the tiles of x, (count, rows, columns), squared: tile i + 1 is loaded while tile i is computed with.
inline void sum_of_squares(kb::tl::Context& tl, kb::tl::Ptr x, kb::tl::Ptr out) {
  const std::int64_t count = x.shape()[0], rows = x.shape()[1], columns = x.shape()[2], tile = rows * columns;
  const kb::tl::TensorHandle acc = tl.zeros({rows, columns}, x.dtype());
  const kb::tl::TensorHandle buffers[2] = {tl.empty({rows, columns}, x.dtype()), tl.empty({rows, columns}, x.dtype())};
  kb::tl::Future next = tl.load_into_async(buffers[0], x);
  for (std::int64_t i = 0; i < count; ++i) {
    const kb::tl::TensorHandle now = tl.wait(next);
    if (i + 1 < count) next = tl.load_into_async(buffers[(i + 1) % 2], x + (i + 1) * tile);
    tl.compute_into(acc, kb::MathOp::fma, {now, now, acc});
  }
  tl.store(out, acc);
}

inline kb::contract::Kernel sum_of_squares_kernel() {
  return kb::tl::make_kernel("sum_of_squares", "the sum of squared tiles", {"x", "out"}, sum_of_squares);
}
// guide: end
