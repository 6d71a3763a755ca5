// The kernel with int4 weights of docs/guides/kernels.md; a test keeps the two alike.
#pragma once

// guide: begin
#include <kernbench/kernels/tl/tl.h>

// y = x * w with weights in int4: a byte of w, (k, n / 2), has two columns, and each `group` rows of a column have one
// factor of scale, (k / group, n), by which the product of a tile that is `group` deep is multiplied. x stays in
// scratch, where all tiles find it.
inline void int4_matmul(kb::tl::Context& tl, kb::tl::Ptr x, kb::tl::Ptr w, kb::tl::Ptr scale, kb::tl::Ptr y,
                        std::int64_t group) {
  const std::int64_t m = x.shape()[0], k = x.shape()[1], n = y.shape()[1];
  const auto factors = tl.load(scale, {k / group, 1, n});
  kb::tl::CompositeOptions options;
  options.tile_shape = tl.info().tile_shape;
  options.tile_shape->k = group;
  options.epilogue = {kb::tl::Epilogue::dequant(factors, kb::EpilogueScope::k_tile)};
  tl.wait(tl.composite(tl.load(x, {m, k}), tl.int4(tl.ref(w, {k, n / 2})), y, options));
}

inline kb::contract::Kernel int4_matmul_kernel() {
  return kb::tl::make_kernel("int4_matmul", "y = x * w, weights in int4", {"x", "w", "scale", "y", "group"},
                             int4_matmul);
}
// guide: end
