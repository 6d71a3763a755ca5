// Loads run ahead of the products, and stores beside them: x and h have two buffers in scratch each, and w2 arrives
// during the first layer.
#include "mlp.h"

namespace {

using kb::tl::Future;
using kb::tl::TensorHandle;

void first_layer(kb::tl::Context& tl, const Mlp& mlp, const TensorHandle& w2) {
  const kb::tl::Scratch scope(tl);
  const TensorHandle w1 = tl.load(mlp.w1, {mlp.width, mlp.inner});
  const std::int64_t rows = Mlp::kRows, steps = mlp.tokens / rows;
  const TensorHandle x[2] = {tl.empty({rows, mlp.width}), tl.empty({rows, mlp.width})};
  const TensorHandle h[2] = {tl.empty({rows, mlp.inner}), tl.empty({rows, mlp.inner})};
  const auto load = [&](std::int64_t step) { return tl.load_into_async(x[step % 2], mlp.x + step * rows * mlp.width); };
  Future loaded = load(0), stored[2];
  for (std::int64_t step = 0; step < steps; ++step) {
    tl.wait(loaded);
    loaded = step + 1 < steps ? load(step + 1) : tl.load_into_async(w2, mlp.w2);
    if (step >= 2) tl.wait(stored[step % 2]);
    tl.dot_into(h[step % 2], x[step % 2], w1);
    tl.compute_into(h[step % 2], kb::MathOp::relu, {h[step % 2]});
    stored[step % 2] = tl.store_async(mlp.h + (mlp.me * mlp.tokens + step * rows) * mlp.inner, h[step % 2]);
  }
  tl.wait();  // w2 is here, and h in memory
}

void second_layer(kb::tl::Context& tl, const Mlp& mlp, const TensorHandle& w2) {
  const std::int64_t rows = Mlp::kRows, steps = mlp.tokens / rows * mlp.pes;
  const TensorHandle h[2] = {tl.empty({rows, mlp.inner}), tl.empty({rows, mlp.inner})};
  const auto load = [&](std::int64_t step) {
    const std::int64_t row = step / mlp.pes * rows, pe = step % mlp.pes;
    return tl.load_into_async(h[step % 2], mlp.h + (pe * mlp.tokens + row) * mlp.inner);
  };
  Future loaded = load(0);
  for (std::int64_t row = 0, step = 0; row < mlp.tokens; row += rows) {
    const kb::tl::Scratch scope(tl);
    const auto y = tl.zeros({rows, mlp.out}, kb::Dtype::f32);
    for (std::int64_t pe = 0; pe < mlp.pes; ++pe, ++step) {
      tl.wait(loaded);
      if (step + 1 < steps) loaded = load(step + 1);
      tl.dot(h[step % 2], tl.view(w2, pe * mlp.inner * mlp.out, {mlp.inner, mlp.out}), y);
    }
    tl.store(mlp.y + row * mlp.out, y);
  }
}

}  // namespace

void ahead(kb::tl::Context& tl, const Mlp& mlp) {
  const TensorHandle w2 = tl.empty({mlp.pes * mlp.inner, mlp.out});
  first_layer(tl, mlp, w2);
  tl.barrier();
  second_layer(tl, mlp, w2);
}
