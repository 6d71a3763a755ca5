// The kernel of docs/guides/kernels.md; a test keeps the two alike.
#pragma once

// guide: begin
#include <kernbench/kernels/tl/tl.h>

#include <algorithm>

// y = alpha * x + y; each PE works on the part of y that it owns, one tile at a time.
inline void axpy(kb::tl::Context& tl, kb::tl::Ptr x, kb::tl::Ptr y, double alpha) {
  const std::int64_t tile = 4096;
  const kb::tl::LocalShard mine = tl.shard(y);
  for (std::int64_t at = 0; at < mine.elements; at += tile) {
    kb::tl::Scratch scope(tl);
    const kb::Shape shape{std::min(tile, mine.elements - at)};
    const auto tx = tl.load(x + mine.first + at, shape);
    const auto ty = tl.load(mine.ptr + at, shape);
    tl.store(mine.ptr + at, tx * alpha + ty);
  }
}

inline kb::contract::Kernel axpy_kernel() {
  return kb::tl::make_kernel("axpy", "y = alpha * x + y", {"x", "y", "alpha"}, axpy);
}
// guide: end
