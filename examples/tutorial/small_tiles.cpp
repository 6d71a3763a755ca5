// Step 1: tiles of the size in which the MAC array works, one call after the other.
#include "layer.h"

void small_tiles(kb::tl::Context& tl, const Layer& layer) {
  const std::int64_t rows = 32, columns = 32, depth = 64;
  for (std::int64_t row = layer.first; row < layer.first + layer.rows; row += rows) {
    for (std::int64_t column = 0; column < layer.columns; column += columns) {
      const kb::tl::Scratch tile_scope(tl);
      const auto sum = tl.zeros({rows, columns}, kb::Dtype::f32);
      for (std::int64_t at = 0; at < layer.depth; at += depth) {
        const kb::tl::Scratch scope(tl);
        const auto x = tl.load(layer.x + row * layer.depth + at, {rows, depth}, kb::Dtype::f16, layer.depth);
        const auto w = tl.load(layer.w + column * layer.depth + at, {columns, depth}, kb::Dtype::f16, layer.depth);
        tl.dot(x, tl.trans(w), sum);
      }
      tl.store(layer.y + row * layer.columns + column, sum, layer.columns);
    }
  }
}
