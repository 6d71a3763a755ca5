// Every load and store waits for its end.
#include "mlp.h"

void blocking(kb::tl::Context& tl, const Mlp& mlp) {
  const std::int64_t rows = Mlp::kRows;
  const auto w1 = tl.load(mlp.w1, {mlp.width, mlp.inner});
  for (std::int64_t row = 0; row < mlp.tokens; row += rows) {
    const kb::tl::Scratch scope(tl);
    const auto x = tl.load(mlp.x + row * mlp.width, {rows, mlp.width});
    const auto h = tl.relu(tl.dot(x, w1, kb::Dtype::f16));
    tl.store(mlp.h + (mlp.me * mlp.tokens + row) * mlp.inner, h);
  }
  tl.barrier();
  const auto w2 = tl.load(mlp.w2, {mlp.pes * mlp.inner, mlp.out});
  for (std::int64_t row = 0; row < mlp.tokens; row += rows) {
    const kb::tl::Scratch row_scope(tl);
    const auto y = tl.zeros({rows, mlp.out}, kb::Dtype::f32);
    for (std::int64_t pe = 0; pe < mlp.pes; ++pe) {
      const kb::tl::Scratch scope(tl);
      const auto h = tl.load(mlp.h + (pe * mlp.tokens + row) * mlp.inner, {rows, mlp.inner});
      tl.dot(h, tl.view(w2, pe * mlp.inner * mlp.out, {mlp.inner, mlp.out}), y);
    }
    tl.store(mlp.y + row * mlp.out, y);
  }
}
