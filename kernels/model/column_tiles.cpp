#include "kernels/model/column_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "kernels/tl/tl.h"
#include "platform/base/even_parts.h"
#include "platform/contract/tensor_layout.h"

namespace kb::kernels {

using tl::Context;
using tl::Future;
using tl::Ptr;
using tl::TensorHandle;

namespace {

constexpr std::int64_t kShortestUnit = 16;  // bytes; shorter pieces are loaded one by one

// Ranges of places whose rows are consecutive.
std::vector<Range> groups_of(const std::vector<std::int64_t>& rows) {
  std::vector<Range> out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && rows[i] == rows[i - 1] + 1) {
      ++out.back().size;
    } else {
      out.push_back({static_cast<std::int64_t>(i), 1});
    }
  }
  return out;
}

// Largest number of elements of which all runs are a multiple, in length and in place; 0 when it is short, or when
// there is only one run.
std::int64_t common_unit(Ptr tensor, const std::vector<Run>& runs) {
  std::int64_t unit = 0;
  for (const Run& run : runs) unit = std::gcd(unit, std::gcd(run.first, run.size));
  const bool worth = runs.size() > 1 && unit * static_cast<std::int64_t>(item_size(tensor.dtype())) >= kShortestUnit;
  return worth ? unit : 0;
}

std::vector<std::int64_t> units_of(const std::vector<Run>& runs, std::int64_t unit) {
  std::vector<std::int64_t> numbers;
  for (const Run& run : runs) {
    for (std::int64_t i = 0; i < run.size / unit; ++i) numbers.push_back(run.first / unit + i);
  }
  return numbers;
}

}  // namespace

Range part_of(std::int64_t all, std::int64_t index, std::int64_t count) {
  const EvenParts parts(all, count);
  return {parts.first(index), parts.size(index)};
}

void load_runs(Context& tl, const TensorHandle& out, Ptr tensor, const std::vector<Run>& runs,
               std::vector<Future>& pending) {
  if (const std::int64_t unit = common_unit(tensor, runs)) {
    std::vector<std::int64_t> numbers = units_of(runs, unit);
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

void store_runs(Context& tl, const TensorHandle& value, Ptr tensor, const std::vector<Run>& runs,
                std::vector<Future>& pending) {
  if (const std::int64_t unit = common_unit(tensor, runs)) {
    std::vector<std::int64_t> numbers = units_of(runs, unit);
    const auto count = static_cast<std::int64_t>(numbers.size());
    pending.push_back(tl.scatter_async(tensor, std::move(numbers), tl.view(value, 0, {count, unit})));
    return;
  }
  std::int64_t at = 0;
  for (const Run& run : runs) {
    pending.push_back(tl.store_async(tensor + run.first, tl.view(value, at, {1, run.size})));
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

std::vector<Run> ColumnTiles::runs(const std::vector<std::int64_t>& rows, const std::vector<Piece>& pieces) const {
  std::vector<Run> out;
  for (const std::int64_t row : rows) {
    for (const Piece& piece : pieces) {
      const Run run{offset(piece, row), piece.width};
      if (!out.empty() && out.back().first + out.back().size == run.first) {
        out.back().size += run.size;
      } else {
        out.push_back(run);
      }
    }
  }
  return out;
}

void ColumnTiles::load(Context& tl, const TensorHandle& out, const std::vector<std::int64_t>& rows, std::int64_t first,
                       std::vector<Future>& pending) const {
  const std::vector<Piece> parts = pieces(first, out.size(1));
  const std::vector<Run> all = runs(rows, parts);
  const std::vector<Range> groups = groups_of(rows);
  if (parts.size() > 1 || (groups.size() > 1 && common_unit(tensor_, all) > 0)) {
    load_runs(tl, out, tensor_, all, pending);
    return;
  }
  for (const Range& group : groups) {  // tiles of consecutive rows
    const Piece& only = parts.front();
    const Ptr from = tensor_ + offset(only, rows[static_cast<std::size_t>(group.first)]);
    const TensorHandle part = tl.view(out, group.first * only.width, {group.size, only.width});
    pending.push_back(tl.load_into_async(part, from, only.pitch));
  }
}

void ColumnTiles::store(Context& tl, const TensorHandle& value, const std::vector<std::int64_t>& rows,
                        std::int64_t first, std::vector<Future>& pending) const {
  const std::vector<Piece> parts = pieces(first, value.size(1));
  const std::vector<Run> all = runs(rows, parts);
  const std::vector<Range> groups = groups_of(rows);
  if (parts.size() > 1 || (groups.size() > 1 && common_unit(tensor_, all) > 0)) {
    store_runs(tl, value, tensor_, all, pending);
    return;
  }
  for (const Range& group : groups) {
    const Piece& only = parts.front();
    const Ptr to = tensor_ + offset(only, rows[static_cast<std::size_t>(group.first)]);
    const TensorHandle part = tl.view(value, group.first * only.width, {group.size, only.width});
    pending.push_back(tl.store_async(to, part, only.pitch));
  }
}

}  // namespace kb::kernels
