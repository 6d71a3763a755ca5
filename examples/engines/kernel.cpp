#include "kernel.h"

#include <kernbench/kernels/tl/tl.h>

#include <algorithm>

namespace {

// out = the transpose of x, which has `rows` rows for each PE; a PE transposes its own, tile by tile.
void transpose(kb::tl::Context& tl, kb::tl::Ptr x, kb::tl::Ptr out, std::int64_t rows, std::int64_t columns,
               std::int64_t block) {
  constexpr std::int64_t kTile = 64;
  const kb::tl::Ptr from = x + tl.shard(x).first, to = out + tl.shard(out).first;
  for (std::int64_t row = 0; row < rows; row += kTile) {
    for (std::int64_t column = 0; column < columns; column += kTile) {
      const kb::tl::Scratch scope(tl);
      const kb::Shape shape{std::min(kTile, rows - row), std::min(kTile, columns - column)};
      const auto tile = tl.load(from + (row * columns + column), shape, std::nullopt, columns);
      tl.store(to + (column * rows + row), tl.engine("transpose", {tile}, {{"block", block}}), rows);
    }
  }
}

}  // namespace

kb::contract::Kernel transpose_kernel() {
  return kb::tl::make_kernel("transpose", "out = x with rows and columns swapped, on PE_TRANSPOSE",
                             {"x", "out", "rows", "columns", "block"}, transpose);
}
