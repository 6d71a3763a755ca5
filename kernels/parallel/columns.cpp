#include "kernels/parallel/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;

constexpr std::int64_t kPieceBytes = 256 << 10;  // scratch filled by one load

struct Blocks {
  std::int64_t m, n, width, ranks;
  std::int64_t count() const { return n / width; }
  // Number of adjacent blocks from i on.
  std::int64_t neighbours(std::int64_t i) const { return ranks == 1 ? count() - i : 1; }
  // First column of block i.
  std::int64_t column(std::int64_t i) const {
    const std::int64_t cubes = count() / ranks, cube = i / ranks, rank = i % ranks;
    return (rank * cubes + cube) * width;
  }
};

Blocks column_blocks(Context& tl, Ptr src, Ptr dst, std::int64_t width, std::int64_t ranks) {
  tl.require_matrices({src, dst});
  const Blocks b{dst.shape()[0], dst.shape()[1], width, ranks};
  tl.require(src.shape() == dst.shape(), "src and dst must have one shape");
  tl.require(width >= 1 && ranks >= 1 && b.n % width == 0 && b.n / width % ranks == 0,
             fmt::format("{} columns are not blocks of {} columns of {} ranks", b.n, width, ranks));
  return b;
}

// Moves rows [row, row + rows) of blocks [first, first + count).
void move_blocks(Context& tl, const Blocks& b, Ptr src, Ptr dst, std::int64_t first, std::int64_t count,
                 std::int64_t row, std::int64_t rows) {
  const tl::Scratch scope(tl);
  const TensorHandle piece =
      tl.load(src + first * b.m * b.width + row * b.width, {count, rows * b.width}, src.dtype(), b.m * b.width);
  for (std::int64_t i = 0, together = 1; i < count; i += together) {
    // Blocks of one row with consecutive columns form one piece.
    together = b.m == 1 ? std::min(count - i, b.neighbours(first + i)) : 1;
    const TensorHandle block = tl.view(piece, i * rows * b.width, {rows, together * b.width});
    tl.store(dst + row * b.n + b.column(first + i), block, b.n);
  }
}

void gather_columns(Context& tl, Ptr src, Ptr dst, std::int64_t width, std::int64_t ranks) {
  const Blocks b = column_blocks(tl, src, dst, width, ranks);
  tl.require(dst.row_major(), "dst must be whole or split by rows");
  if (tl.cube_shard(dst).elements == 0) return;
  const std::int64_t pes = tl.num_programs(0), pe = tl.program_id(0);
  const std::int64_t begin = b.count() * pe / pes, end = b.count() * (pe + 1) / pes;
  const std::int64_t row_bytes = b.width * static_cast<std::int64_t>(item_size(src.dtype()));
  const std::int64_t rows = std::min(b.m, std::max<std::int64_t>(1, kPieceBytes / row_bytes));
  const std::int64_t together = std::max<std::int64_t>(1, kPieceBytes / (rows * row_bytes));
  for (std::int64_t first = begin; first < end; first += together) {
    for (std::int64_t row = 0; row < b.m; row += rows) {
      move_blocks(tl, b, src, dst, first, std::min(together, end - first), row, std::min(rows, b.m - row));
    }
  }
}

void collect_columns(Context& tl, Ptr src, Ptr dst) {
  tl.require_matrices({src, dst});
  const tl::LocalShard mine = tl.shard(src), from = tl.cube_shard(src), tile = tl.cube_shard(dst);
  if (mine.elements == 0) return;
  const std::int64_t m = src.shape()[0], width = mine.elements / m, wide = tile.elements / m;
  tl.require(mine.shape[0] == m && src.shape() == dst.shape() && from.elements == tile.elements,
             "src must be split by columns over the cubes of dst");
  const Ptr to = tile.ptr + (mine.first - from.first) / m;
  const std::int64_t step =
      std::max<std::int64_t>(1, kPieceBytes / (width * static_cast<std::int64_t>(item_size(src.dtype()))));
  for (std::int64_t row = 0; row < m; row += step) {
    const tl::Scratch scope(tl);
    tl.store(to + row * wide, tl.load(mine.ptr + row * width, {std::min(step, m - row), width}), wide);
  }
}

void slice_columns(Context& tl, Ptr src, Ptr dst, std::int64_t first) {
  tl.require_matrices({src, dst});
  tl.require(src.row_major() && dst.row_major(), "src and dst must be whole or split by rows");
  const std::int64_t n = dst.shape()[1], wide = src.shape()[1];
  tl.require(src.shape()[0] == dst.shape()[0] && first >= 0 && first <= wide - n,
             fmt::format("{} has no {} columns from {} on", format_shape(src.shape()), n, first));
  const tl::LocalShard mine = tl.shard(dst);
  const std::int64_t step =
      std::max<std::int64_t>(1, kPieceBytes / (n * static_cast<std::int64_t>(item_size(src.dtype()))));
  for (std::int64_t row = 0; row < mine.elements / n; row += step) {
    const tl::Scratch scope(tl);
    const std::int64_t rows = std::min(step, mine.elements / n - row);
    const std::int64_t at = mine.first / n + row;
    tl.store(dst + at * n, tl.load(src + at * wide + first, {rows, n}, src.dtype(), wide));
  }
}

}  // namespace

contract::Kernel collect_columns_kernel() {
  return tl::make_kernel("collect_columns", "a tile per cube from the columns of its PEs", {"src", "dst"},
                         collect_columns);
}

contract::Kernel gather_columns_kernel() {
  return tl::make_kernel("gather_columns", "whole rows, a copy per cube, from blocks of columns",
                         {"src", "dst", "width", "ranks"}, gather_columns);
}

contract::Kernel slice_columns_kernel() {
  return tl::make_kernel("slice_columns", "dst = columns of src from `first` on, on the rows each PE owns",
                         {"src", "dst", "first"}, slice_columns);
}

}  // namespace kb::kernels
