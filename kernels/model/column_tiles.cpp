#include "kernels/model/column_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "kernels/tl/tl.h"
#include "platform/contract/tensor_layout.h"

namespace kb::kernels {

using tl::Context;
using tl::Future;
using tl::Ptr;
using tl::TensorHandle;

namespace {

constexpr std::int64_t kShortestUnit = 32;  // bytes; shorter pieces are loaded one by one

bool consecutive(const std::vector<std::int64_t>& rows) {
  return std::adjacent_find(rows.begin(), rows.end(), [](auto a, auto b) { return b != a + 1; }) == rows.end();
}

}  // namespace

Range part_of(std::int64_t all, std::int64_t index, std::int64_t count) {
  const std::int64_t each = all / count, longer = all % count;
  return {index * each + std::min(index, longer), each + (index < longer ? 1 : 0)};
}

void load_runs(Context& tl, const TensorHandle& out, Ptr tensor, const std::vector<Run>& runs,
               std::vector<Future>& pending) {
  std::int64_t unit = 0;
  for (const Run& run : runs) unit = std::gcd(unit, std::gcd(run.first, run.size));
  if (runs.size() > 1 && unit * static_cast<std::int64_t>(item_size(tensor.dtype())) >= kShortestUnit) {
    std::vector<std::int64_t> numbers;
    for (const Run& run : runs) {
      for (std::int64_t i = 0; i < run.size / unit; ++i) numbers.push_back(run.first / unit + i);
    }
    const auto count = static_cast<std::int64_t>(numbers.size());
    pending.push_back(tl.gather_into_async(tl.view(out, 0, {count, unit}), tensor, std::move(numbers)));
    return;
  }
  std::int64_t at = 0;
  for (const Run& run : runs) {
    pending.push_back(tl.load_into_async(tl.view(out, at, {1, run.size}), tensor + run.first));
    at += run.size;
  }
}

ColumnTiles::ColumnTiles(Context& tl, Ptr tensor) : tensor_(tensor), rows_(tensor.shape()[0]) {
  const contract::TensorLayout& layout = tensor.tensor();
  const std::int64_t row_bytes = rows_ * static_cast<std::int64_t>(item_size(layout.dtype));
  const std::int64_t columns = tensor.shape()[1];
  std::map<std::int64_t, std::int64_t> widths;  // by the first byte of a shard
  for (const contract::Shard& shard : layout.shards) {
    widths.emplace(static_cast<std::int64_t>(shard.offset_bytes), layout.shape_of(shard)[1]);
  }
  auto shard = widths.begin();
  for (std::int64_t column = 0; column < columns;) {
    const std::int64_t begin = column * row_bytes, width = shard == widths.end() ? 0 : shard->second;
    bool fits = width > 0 && shard->first == begin && column + width <= columns;
    for (; fits && shard != widths.end() && shard->first < begin + width * row_bytes; ++shard) {
      fits = shard->second == width;
    }
    tl.require(fits, fmt::format("{} must be split by columns, over PEs or over cubes, and then by rows at most",
                                 shape_text(tensor)));
    tiles_.push_back({column, width});
    column += width;
  }
}

std::vector<ColumnTiles::Piece> ColumnTiles::pieces(std::int64_t first, std::int64_t width) const {
  std::vector<Piece> out;
  auto tile = std::upper_bound(tiles_.begin(), tiles_.end(), first,
                               [](std::int64_t column, const Range& range) { return column < range.end(); });
  for (const std::int64_t end = first + width; first < end; ++tile) {
    const std::int64_t stop = std::min(end, tile->end());
    out.push_back({first, stop - first, tile->first, tile->size});
    first = stop;
  }
  return out;
}

ColumnTiles::Place ColumnTiles::place(std::int64_t element) const {
  const auto tile = std::upper_bound(tiles_.begin(), tiles_.end(), element,
                                     [&](std::int64_t at, const Range& range) { return at < range.end() * rows_; });
  const std::int64_t inside = element - tile->first * rows_;
  return {tile - tiles_.begin(), inside / tile->size, tile->first + inside % tile->size};
}

void ColumnTiles::load(Context& tl, const TensorHandle& out, const std::vector<std::int64_t>& rows, std::int64_t first,
                       std::vector<Future>& pending) const {
  const std::int64_t width = out.size(1);
  const std::vector<Piece> parts = pieces(first, width);
  if (rows_ == 1 && rows.size() == 1) {  // tiles of one row are adjacent
    pending.push_back(tl.load_into_async(out, tensor_ + first));
    return;
  }
  if (parts.size() == 1 && consecutive(rows)) {
    const Piece& only = parts.front();
    pending.push_back(tl.load_into_async(out, tensor_ + offset(only, rows.front()), only.pitch));
    return;
  }
  std::vector<Run> runs;
  for (const std::int64_t row : rows) {
    for (const Piece& piece : parts) runs.push_back({offset(piece, row), piece.width});
  }
  load_runs(tl, out, tensor_, runs, pending);
}

void ColumnTiles::store(Context& tl, const TensorHandle& value, std::int64_t row, std::int64_t first,
                        std::vector<Future>& pending) const {
  const std::int64_t count = value.size(0), width = value.size(1);
  const std::vector<Piece> parts = pieces(first, width);
  if (parts.size() == 1) {
    const Piece& only = parts.front();
    pending.push_back(tl.store_async(tensor_ + offset(only, row), value, only.pitch));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    for (const Piece& piece : parts) {
      const TensorHandle part = tl.view(value, i * width + piece.first - first, {1, piece.width});
      pending.push_back(tl.store_async(tensor_ + offset(piece, row + i), part));
    }
  }
}

}  // namespace kb::kernels
