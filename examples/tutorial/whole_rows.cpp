// Step 3: whole rows, whose bytes are neighbours in memory. x is read once, and no sum is left open.
#include "layer.h"

void whole_rows(kb::tl::Context& tl, const Layer& layer) {
  const std::int64_t rows = 64, columns = 64;
  for (std::int64_t row = layer.first; row < layer.first + layer.rows; row += rows) {
    const kb::tl::Scratch rows_scope(tl);
    const auto x = tl.load(layer.x + row * layer.depth, {rows, layer.depth});
    for (std::int64_t column = 0; column < layer.columns; column += columns) {
      const kb::tl::Scratch scope(tl);
      const auto w = tl.load(layer.w + column * layer.depth, {columns, layer.depth});
      const auto y = tl.dot(x, tl.trans(w), kb::Dtype::f16);
      tl.store(layer.y + row * layer.columns + column, y, layer.columns);
    }
  }
}
