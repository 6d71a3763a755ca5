#include "kernels/model_attention/chunk_pages.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/even_parts.h"

namespace kb::kernels {

using tl::Context;
using tl::Future;
using tl::Ptr;
using tl::TensorHandle;

namespace {

constexpr std::int64_t kStageBytes = 64 << 10;  // pages that are copied together

// One copy of some pages from a cache.
struct PageCopy {
  Ptr from, to;
  std::vector<std::int64_t> rows, staged;  // rows of the cache; pages of a head in the copy
};

}  // namespace

ChunkPages::ChunkPages(Context& tl, const ChunkTensors& tensors, const std::vector<contract::ChunkSequence>& sequences,
                       std::int64_t window)
    : tl_(tl), tensors_(tensors) {
  const std::int64_t width = tensors.table.shape()[1], page = tensors.k.shape()[1], blocks = tensors.k.shape()[0];
  const std::vector<std::int64_t> table =
      tl.load(tensors.table, {width * static_cast<std::int64_t>(sequences.size())}).read<std::int64_t>();
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const contract::PageRange seen = contract::seen_pages(sequences[i], page, window);
    const auto begin = table.begin() + static_cast<std::int64_t>(i) * width + seen.first;
    sequences_.push_back({seen.first, static_cast<std::int64_t>(blocks_.size()), {begin, begin + seen.count}});
    for (std::int64_t number = seen.first; number < seen.first + seen.count; ++number) {
      const std::int64_t block = begin[number - seen.first];
      tl.require(block >= 0 && block < blocks, fmt::format("page {} of sequence {} is block {}, which {} does not have",
                                                           number, i, block, shape_text(tensors.k)));
      blocks_.push_back(block);
    }
  }
  if (tensors.k_stage || tensors.v_stage) check_stage();
}

void ChunkPages::check_stage() const {
  tl_.require(tensors_.k_stage && tensors_.v_stage, "k_stage and v_stage are given together");
  const auto pages = static_cast<std::int64_t>(blocks_.size());
  for (const Ptr stage : {*tensors_.k_stage, *tensors_.v_stage}) {
    Shape shape = tensors_.k.shape();
    shape.front() = stage.shape().front();
    tl_.require(stage.shape() == shape && shape.front() >= pages && stage.row_major() &&
                    stage.dtype() == tensors_.k.dtype() && stage.same_order(*tensors_.k_stage),
                fmt::format("{} must have room for {} pages of {}, a copy per cube, split by pages", shape_text(stage),
                            pages, shape_text(tensors_.k)));
  }
}

std::int64_t ChunkPages::block(std::int64_t sequence, std::int64_t page, std::int64_t head) const {
  const Pages& its = sequences_[static_cast<std::size_t>(sequence)];
  const std::int64_t number = page - its.first_page;
  if (!tensors_.k_stage) return its.blocks[static_cast<std::size_t>(number)];
  return staged(its.first_staged + number) * kv_heads() + head;
}

void ChunkPages::append_rows(std::int64_t block, std::int64_t head, std::vector<std::int64_t>& rows) const {
  if (kv_heads() == 1) return rows.push_back(block);
  const std::int64_t page = tensors_.k.shape()[1];
  for (std::int64_t key = 0; key < page; ++key) rows.push_back((block * page + key) * kv_heads() + head);
}

std::int64_t ChunkPages::staged(std::int64_t number) const {
  const std::int64_t pes = tl_.num_programs(0);
  return EvenParts(tensors_.k_stage->shape()[0], pes).first(number % pes) + number / pes;
}

// Cubes begin with different pages, so that they do not all read the same slice.
std::vector<std::int64_t> ChunkPages::own_pages() const {
  std::vector<std::int64_t> out;
  const auto all = static_cast<std::int64_t>(blocks_.size());
  for (std::int64_t i = tl_.program_id(0); i < all; i += tl_.num_programs(0)) out.push_back(i);
  const auto count = static_cast<std::int64_t>(out.size());
  std::rotate(out.begin(), out.begin() + tl_.program_id(1) * count / tl_.num_programs(1), out.end());
  return out;
}

void ChunkPages::stage(const std::vector<std::int64_t>& heads) {
  if (heads.empty()) return;
  const tl::Scratch scope(tl_);
  const std::int64_t page = tensors_.k.shape()[1], d = tensors_.k.shape()[3];
  const std::int64_t page_bytes = page * d * static_cast<std::int64_t>(heads.size() * item_size(tensors_.k.dtype()));
  const auto at_once = static_cast<std::size_t>(std::max<std::int64_t>(1, kStageBytes / page_bytes));
  const std::vector<std::int64_t> own = own_pages();
  std::vector<PageCopy> copies;
  for (std::size_t first = 0; first < own.size(); first += at_once) {
    PageCopy copy{tensors_.k, *tensors_.k_stage, {}, {}};
    for (std::size_t i = first; i < std::min(own.size(), first + at_once); ++i) {
      for (const std::int64_t head : heads) {
        copy.staged.push_back(staged(own[i]) * kv_heads() + head);
        append_rows(blocks_[static_cast<std::size_t>(own[i])], head, copy.rows);
      }
    }
    copies.push_back(copy);
    copy.from = tensors_.v;
    copy.to = *tensors_.v_stage;
    copies.push_back(std::move(copy));
  }
  struct Buffer {
    TensorHandle room;
    Future loaded, stored;
  };
  const auto numbers = static_cast<std::int64_t>(std::min(at_once, own.size()) * heads.size()) * page * d;
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, copies.size()); ++i) {
    buffers.push_back({tl_.empty({numbers}, tensors_.k.dtype()), {}, {}});
  }
  const auto load = [&](std::size_t i) {
    if (i >= copies.size()) return;
    if (i >= 2) tl_.wait(buffers[i % 2].stored);
    // Pages of a cache with one head are contiguous.
    const auto rows = static_cast<std::int64_t>(copies[i].rows.size());
    const TensorHandle room = tl_.view(buffers[i % 2].room, 0, {rows, kv_heads() == 1 ? page * d : d});
    buffers[i % 2].loaded = tl_.gather_into_async(room, copies[i].from, tl::Indices(copies[i].rows));
  };
  load(0);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    load(i + 1);
    Buffer& its = buffers[i % 2];
    tl_.wait(its.loaded);
    const Shape shape{static_cast<std::int64_t>(copies[i].staged.size()), page * d};
    its.stored = tl_.scatter_async(copies[i].to, tl::Indices(copies[i].staged), tl_.view(its.room, 0, shape));
  }
  tl_.wait();
}

}  // namespace kb::kernels
