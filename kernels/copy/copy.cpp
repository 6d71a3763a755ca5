#include "kernels/copy/copy.h"

#include <algorithm>

#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Ptr;
using OptionalInt = std::optional<std::int64_t>;

constexpr std::int64_t kElementsAtATime = 16384;

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
  tl.require(from >= 0 && to >= 0, "src_offset and dst_offset must not be negative");
  const std::int64_t count = elements.value_or(element_count(src.shape()) - from);
  tl.require(count >= 0, "elements must not be negative");
  copy_range(tl, src + from, dst + to, count, tile.value_or(kElementsAtATime));
}

void pull(tl::Context& tl, Ptr src, Ptr dst, OptionalInt tile) {
  tl.require(src.same_order(dst), "source and destination must have one shape and be split the same way");
  const tl::LocalShard mine = tl.shard(dst);
  copy_range(tl, src + mine.first, dst + mine.first, mine.elements, tile.value_or(kElementsAtATime));
}

std::int64_t wrapped(std::int64_t position, std::int64_t total) {
  const std::int64_t rest = position % total;
  return rest < 0 ? rest + total : rest;
}

void rotate(tl::Context& tl, Ptr src, Ptr dst, std::int64_t read_shift, std::int64_t write_shift, OptionalInt tile) {
  tl.require(src.shape() == dst.shape() && src.dtype() == dst.dtype(), "source and destination must be of one kind");
  const std::int64_t most = tile.value_or(kElementsAtATime);
  tl.require(most > 0, "tile must be at least 1");
  const std::int64_t total = element_count(src.shape());
  const std::int64_t pes = tl.num_programs(0) * tl.num_programs(1);
  const std::int64_t pe = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0);
  const std::int64_t end = total * (pe + 1) / pes;
  for (std::int64_t at = total * pe / pes; at < end;) {
    const std::int64_t from = wrapped(at + wrapped(read_shift, total), total);
    const std::int64_t to = wrapped(at + wrapped(write_shift, total), total);
    const std::int64_t count = std::min({end - at, most, total - from, total - to});
    const tl::Scratch scope(tl);
    tl.store(dst + to, tl.load(src + from, {count}));
    at += count;
  }
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

contract::Kernel rotate_kernel() {
  return tl::make_kernel("rotate",
                         "all PEs of a SIP copy src to dst, each an equal part, read and written at an offset",
                         {"src", "dst", "read_shift", "write_shift", "tile"}, rotate);
}

}  // namespace kb::kernels
