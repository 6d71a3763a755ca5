#include "kernels/model_attention/tile_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "kernels/model/column_tiles.h"

namespace kb::kernels {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;

namespace {

// Scratch that one load of several pieces may cover, with the gaps between them.
constexpr std::int64_t kTileSpanBytes = 64 << 10;

std::int64_t bytes_of_element(Ptr tensor) {
  return static_cast<std::int64_t>(item_size(tensor.dtype()));
}

}  // namespace

void require_tile(Context& tl, Ptr tensor) {
  tl.require_matrices({tensor});
  const std::int64_t rows = tensor.shape()[0];
  const EvenParts columns(tensor.shape()[1], tl.num_programs(1));
  const std::int64_t row_bytes = rows * bytes_of_element(tensor);
  bool fits = true;
  for (const contract::Shard& shard : tensor.tensor().shards) {
    const auto cube = static_cast<std::int64_t>(shard.owner.cube.value);
    const auto first = static_cast<std::int64_t>(shard.offset_bytes);
    fits = fits && first >= columns.first(cube) * row_bytes &&
           first + static_cast<std::int64_t>(shard.nbytes) <= columns.first(cube + 1) * row_bytes;
  }
  tl.require(fits,
             fmt::format("{} must be split by columns over all cubes, and by rows over their PEs", shape_text(tensor)));
}

std::vector<TilePiece> tile_pieces(Context& tl, Ptr tensor, std::int64_t first, std::int64_t columns) {
  const std::int64_t rows = tensor.shape()[0];
  const EvenParts parts(tensor.shape()[1], tl.num_programs(1));
  std::vector<TilePiece> out;
  for (std::int64_t column = first; column < first + columns;) {
    const std::int64_t cube = parts.part_of(column), begin = parts.first(cube);
    const std::int64_t count = std::min(first + columns, begin + parts.size(cube)) - column;
    out.push_back({column, count, tensor + rows * begin + (column - begin), parts.size(cube)});
    column += count;
  }
  return out;
}

TensorHandle columns_of(Context& tl, const TensorHandle& matrix, std::int64_t first, std::int64_t count) {
  const std::int64_t rows = matrix.size(0), width = matrix.size(1);
  if (count == width) return matrix;
  if (rows == 1) return tl.view(matrix, first, {1, count});
  std::vector<TensorHandle> parts;
  for (std::int64_t row = 0; row < rows; ++row) parts.push_back(tl.view(matrix, row * width + first, {count}));
  return tl.view(tl.concat(parts), 0, {rows, count});
}

TileLoad::TileLoad(Context& tl, Ptr tensor, const std::vector<std::int64_t>& rows, std::int64_t first,
                   std::int64_t columns)
    : tl_(tl), row_(rows.front()) {
  for (const std::int64_t row : rows) rows_.push_back(row - row_);
  const std::vector<TilePiece> pieces = tile_pieces(tl, tensor, first, columns);
  const TilePiece& last = pieces.back();
  const Ptr begin = pieces.front().at + row_ * pieces.front().row_stride;
  const Ptr end = last.at + rows.back() * last.row_stride + last.columns;
  const std::int64_t span = (end.offset_bytes() - begin.offset_bytes()) / bytes_of_element(tensor);
  if (pieces.size() == 1) {
    load_one(pieces.front());
  } else if (span * bytes_of_element(tensor) <= kTileSpanBytes) {
    load_together(pieces, span);
  } else {
    gather(tensor, rows, first, columns);
  }
}

void TileLoad::load_one(const TilePiece& piece) {
  const TensorHandle room = tl_.empty({rows_.back() + 1, piece.columns}, piece.at.dtype());
  loads_.push_back(tl_.load_into_async(room, piece.at + row_ * piece.row_stride, piece.row_stride));
  blocks_.push_back({piece.column, piece.columns, room, 0, piece.columns});
}

void TileLoad::gather(Ptr tensor, const std::vector<std::int64_t>& rows, std::int64_t first, std::int64_t columns) {
  const TensorHandle room = tl_.empty({static_cast<std::int64_t>(rows.size()), columns}, tensor.dtype());
  ColumnTiles(tl_, tensor).load(tl_, room, rows, first, loads_);
  std::iota(rows_.begin(), rows_.end(), std::int64_t{0});
  blocks_.push_back({first, columns, room, 0, columns});
}

void TileLoad::load_together(const std::vector<TilePiece>& pieces, std::int64_t span) {
  const Ptr begin = pieces.front().at + row_ * pieces.front().row_stride;
  std::vector<bool> wanted(static_cast<std::size_t>(span));
  for (const TilePiece& piece : pieces) {
    const Ptr at = piece.at + row_ * piece.row_stride;
    const std::int64_t start = (at.offset_bytes() - begin.offset_bytes()) / bytes_of_element(at);
    for (const std::int64_t row : rows_) {
      std::fill_n(wanted.begin() + start + row * piece.row_stride, piece.columns, true);
    }
    blocks_.push_back({piece.column, piece.columns, {}, start, piece.row_stride});
  }
  const bool all = std::find(wanted.begin(), wanted.end(), false) == wanted.end();
  loads_.push_back(all ? tl_.load_async(begin, {span}) : tl_.load_async(begin, {span}, tl::Mask(std::move(wanted))));
}

void TileLoad::append(std::int64_t row, std::int64_t first, std::int64_t count, std::vector<TensorHandle>& parts) {
  for (const Block& block : blocks_) {
    const std::int64_t begin = std::max(first, block.column);
    const std::int64_t end = std::min(first + count, block.column + block.columns);
    if (begin >= end) continue;
    const std::int64_t at = block.start + row * block.row_stride + begin - block.column;
    parts.push_back(tl_.view(block.values, at, {end - begin}));
  }
}

TensorHandle TileLoad::take(std::int64_t first, std::int64_t groups, std::int64_t width, Order order) {
  for (const tl::Future& load : loads_) {
    const TensorHandle values = tl_.wait(load);
    for (Block& block : blocks_) {
      if (block.values.null()) block.values = values;
    }
  }
  loads_.clear();
  const Block& only = blocks_.front();
  const auto rows = static_cast<std::int64_t>(rows_.size());
  const bool by_row = order == Order::by_row;
  const Shape shape = by_row ? Shape{rows, groups, width} : Shape{groups, rows, width};
  const bool in_order = rows == 1 || groups == 1 || by_row;
  const bool dense = rows == 1 || (rows == rows_.back() + 1 && only.row_stride == groups * width);
  const bool alone = first >= only.column && first + groups * width <= only.column + only.columns;
  if (in_order && dense && alone) return tl_.view(only.values, only.start + first - only.column, shape);
  std::vector<TensorHandle> parts;
  if (by_row) {
    for (const std::int64_t row : rows_) append(row, first, groups * width, parts);
  } else {
    for (std::int64_t group = 0; group < groups; ++group) {
      for (const std::int64_t row : rows_) append(row, first + group * width, width, parts);
    }
  }
  return tl_.view(tl_.concat(parts), 0, shape);
}

}  // namespace kb::kernels
