#include "kernels/copy/copy.h"

#include <algorithm>

#include "kernels/tl/tl.h"

namespace kb::kernels {
namespace {

using tl::Ptr;
using OptionalInt = std::optional<std::int64_t>;

constexpr std::int64_t kTile = 16384;

void copy_range(tl::Context& tl, Ptr src, Ptr dst, std::int64_t elements, std::int64_t tile) {
  tl.require(src.dtype() == dst.dtype(), "source and destination must have one dtype");
  tl.require(tile > 0, "tile must be at least 1");
  const std::int64_t step = std::min(tile, elements);
  for (std::int64_t at = 0; at < elements; at += step) {
    const tl::Scratch scope(tl);
    tl.store(dst + at, tl.load(src + at, {std::min(step, elements - at)}));
  }
}

void copy(tl::Context& tl, Ptr src, Ptr dst, OptionalInt elements, OptionalInt src_offset, OptionalInt dst_offset,
          OptionalInt tile) {
  const std::int64_t from = src_offset.value_or(0);
  const std::int64_t to = dst_offset.value_or(0);
  const std::int64_t count = elements.value_or(element_count(src.shape()) - from);
  tl.require(count >= 0, "elements must not be negative");
  copy_range(tl, src + from, dst + to, count, tile.value_or(kTile));
}

void pull(tl::Context& tl, Ptr src, Ptr dst, OptionalInt tile) {
  tl.require(src.same_order(dst), "source and destination must have one shape and be split the same way");
  const tl::LocalShard mine = tl.shard(dst);
  copy_range(tl, src + mine.first, dst + mine.first, mine.elements, tile.value_or(kTile));
}

}  // namespace

contract::Kernel copy_kernel() {
  return tl::make_kernel("copy", "copies elements between tensors at any PE, cube and SIP; default: all of src",
                         {"src", "dst", "elements", "src_offset", "dst_offset", "tile"}, copy);
}

contract::Kernel pull_kernel() {
  return tl::make_kernel("pull", "each PE copies the part of dst it owns from the same elements of src",
                         {"src", "dst", "tile"}, pull);
}

}  // namespace kb::kernels
