// Step 6: each PE begins with the block of w that lies in its own memory, so that no two read the same one.
#include "layer.h"

void own_block_first(kb::tl::Context& tl, const Layer& layer) {
  const std::int64_t rows = 64, columns = 64, blocks = layer.columns / columns, steps = layer.rows / rows * blocks;
  const std::int64_t own = tl.shard(layer.w).first / (columns * layer.depth);
  const kb::tl::TensorHandle w[2] = {tl.empty({columns, layer.depth}), tl.empty({columns, layer.depth})};
  const kb::tl::TensorHandle y[2] = {tl.empty({rows, columns}), tl.empty({rows, columns})};
  const auto load = [&](std::int64_t step) {
    return tl.load_into_async(w[step % 2], layer.w + (own + step) % blocks * columns * layer.depth);
  };
  kb::tl::Future loaded = load(0), stored[2];
  for (std::int64_t row = layer.first, step = 0; step < steps; row += rows) {
    const kb::tl::Scratch scope(tl);
    const auto x = tl.load(layer.x + row * layer.depth, {rows, layer.depth});
    for (std::int64_t i = 0; i < blocks; ++i, ++step) {
      const std::int64_t block = (own + step) % blocks;
      tl.wait(loaded);
      if (step + 1 < steps) loaded = load(step + 1);
      if (step >= 2) tl.wait(stored[step % 2]);
      tl.dot_into(y[step % 2], x, tl.trans(w[step % 2]));
      stored[step % 2] = tl.store_async(layer.y + row * layer.columns + block * columns, y[step % 2], layer.columns);
    }
  }
}
