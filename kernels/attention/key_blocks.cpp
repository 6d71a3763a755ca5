#include "kernels/attention/key_blocks.h"

#include <algorithm>
#include <utility>

namespace kb::kernels {
namespace {

using tl::Ptr;
using tl::TensorHandle;

// The ranges of a block that need a load each: two adjacent ranges are merged.
std::vector<RowRange> pieces(const RowPair& block) {
  if (block.count() == 0) return {};
  if (block.high.count == 0) return {block.low};
  if (block.low.count == 0) return {block.high};
  if (block.low.end() == block.high.first) return {{block.low.first, block.count()}};
  return {block.low, block.high};
}

}  // namespace

KeyBlocks::KeyBlocks(tl::Context& tl, const KeyMemory& memory, std::vector<RowPair> blocks, std::int64_t ahead)
    : tl_(tl), memory_(memory), blocks_(std::move(blocks)), ahead_(ahead) {
  if (memory_.row_stride == 0) memory_.row_stride = memory_.d;
  std::int64_t most = 0;
  for (const RowPair& block : blocks_) most = std::max(most, block.count());
  if (most == 0) return;
  buffers_.resize(static_cast<std::size_t>(std::min(count(), std::max<std::int64_t>(1, 2 * ahead_))));
  for (Buffer& its : buffers_) {
    its.k = tl.empty({most, memory_.d}, memory_.k.dtype());
    its.v = tl.empty({most, memory_.d}, memory_.v.dtype());
  }
  for (std::int64_t step = 0; step < std::min(ahead_, count()); ++step) start(step);
}

TensorHandle KeyBlocks::k(std::int64_t step) {
  TensorHandle keys = take(step, &Buffer::k, memory_.k, &Buffer::next_k);
  if (ahead_ > 0 && step + ahead_ < count()) start(step + ahead_);
  return keys;
}

TensorHandle KeyBlocks::v(std::int64_t step) {
  return take(step, &Buffer::v, memory_.v, &Buffer::next_v);
}

TensorHandle KeyBlocks::take(std::int64_t step, TensorHandle Buffer::*rows, Ptr from, Loads Buffer::*loads) {
  if (block(step).count() == 0) return {};
  Buffer& its = buffer(step);
  if (ahead_ == 0) {
    each_load(its.*rows, from, step, [&](const TensorHandle& into, Ptr at) { tl_.load_into(into, at, stride()); });
  }
  for (const tl::Future& load : its.*loads) tl_.wait(load);
  (its.*loads).clear();
  return rows_of(its.*rows, 0, block(step).count());
}

TensorHandle KeyBlocks::rows_of(const TensorHandle& buffer, std::int64_t first, std::int64_t count) {
  return tl_.view(buffer, first * memory_.d, {count, memory_.d});
}

void KeyBlocks::start(std::int64_t step) {
  if (block(step).count() == 0) return;
  Buffer& its = buffer(step);
  const auto start_all = [&](const TensorHandle& buffer, Ptr from, Loads& loads) {
    each_load(buffer, from, step,
              [&](const TensorHandle& into, Ptr at) { loads.push_back(tl_.load_into_async(into, at, stride())); });
  };
  start_all(its.k, memory_.k, its.next_k);
  start_all(its.v, memory_.v, its.next_v);
}

void KeyBlocks::each_load(const TensorHandle& buffer, Ptr from, std::int64_t step,
                          const std::function<void(const TensorHandle&, Ptr)>& load) {
  std::int64_t at = 0;
  for (const RowRange& rows : pieces(block(step))) {
    load(rows_of(buffer, at, rows.count), from + rows.first * memory_.row_stride);
    at += rows.count;
  }
}

}  // namespace kb::kernels
