#include "kernel.h"

#include <kernbench/kernels/tl/tl.h>

#include <algorithm>

namespace {

// out = factor * x + y; each PE computes the elements of `out` that it owns, one tile at a time.
void scale_add(kb::tl::Context& tl, kb::tl::Ptr x, kb::tl::Ptr y, kb::tl::Ptr out, double factor) {
  const std::int64_t tile = 4096;
  const kb::tl::LocalShard mine = tl.shard(out);
  const std::int64_t end = mine.first + mine.elements;
  for (std::int64_t at = mine.first; at < end; at += tile) {
    const kb::tl::Scratch scope(tl);
    const kb::Shape shape{std::min(tile, end - at)};
    const auto a = tl.load(x + at, shape);
    const auto b = tl.load(y + at, shape);
    tl.store(out + at, a * factor + b);
  }
}

}  // namespace

kb::contract::Kernel scale_add_kernel() {
  return kb::tl::make_kernel("scale_add", "out = factor * x + y", {"x", "y", "out", "factor"}, scale_add);
}
