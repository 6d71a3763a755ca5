#include "kernels/elementwise/vector_add.h"

#include <algorithm>

#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Ptr;

constexpr std::int64_t kTile = 16384;  // three tiles of this many i64 fit into 1 MiB

void vector_add(tl::Context& tl, Ptr a, Ptr b, Ptr c, std::optional<std::int64_t> tile) {
  tl.require(a.same_order(c) && b.same_order(c), "a, b and c must have one shape and be split the same way");
  tl.require(tile.value_or(1) > 0, "tile must be at least 1");
  const tl::LocalShard mine = tl.shard(c);
  const std::int64_t step = std::min(tile.value_or(kTile), mine.elements);
  const std::int64_t end = mine.first + mine.elements;
  for (std::int64_t at = mine.first; at < end; at += step) {
    const tl::Scratch scope(tl);
    const Shape shape{std::min(step, end - at)};
    const tl::TensorHandle x = tl.load(a + at, shape);
    const tl::TensorHandle y = tl.load(b + at, shape);
    tl.store(c + at, x + y);
  }
}

}  // namespace

contract::Kernel vector_add_kernel() {
  return tl::make_kernel("vector_add", "C = A + B; each PE adds the elements of C it owns", {"a", "b", "c", "tile"},
                         vector_add);
}

}  // namespace kb::kernels
