// What all PEs read is staged where it is read: the host gives every PE a copy of x, and each block of h goes to the
// memory of every other PE as soon as it is computed. A PE's own blocks stay in scratch and are multiplied first, while
// the last ones are still on their way to the others. As in ahead.cpp, loads run ahead and stores beside the products.
#include "mlp.h"

namespace {

using kb::tl::Future;
using kb::tl::TensorHandle;

// The stores begin with the next PE and go around, so that no two PEs write to one memory at a time.
void store_at_others(kb::tl::Context& tl, const Mlp& mlp, std::int64_t row, const TensorHandle& h) {
  for (std::int64_t i = 1; i < mlp.pes; ++i) {
    const std::int64_t copy = (mlp.me + i) % mlp.pes * mlp.pes * mlp.tokens * mlp.inner;
    tl.store_async(mlp.h + copy + (mlp.me * mlp.tokens + row) * mlp.inner, h);
  }
}

// Gives h, the columns of this PE.
void first_layer(kb::tl::Context& tl, const Mlp& mlp, const TensorHandle& h, const TensorHandle& w2) {
  const kb::tl::Scratch scope(tl);
  const TensorHandle w1 = tl.load(mlp.w1, {mlp.width, mlp.inner});
  const std::int64_t rows = Mlp::kRows, steps = mlp.tokens / rows;
  const TensorHandle x[2] = {tl.empty({rows, mlp.width}), tl.empty({rows, mlp.width})};
  const auto load = [&](std::int64_t step) { return tl.load_into_async(x[step % 2], mlp.x + step * rows * mlp.width); };
  Future loaded = load(0);
  for (std::int64_t step = 0; step < steps; ++step) {
    tl.wait(loaded);
    loaded = step + 1 < steps ? load(step + 1) : tl.load_into_async(w2, mlp.w2);
    const TensorHandle block = tl.view(h, step * rows * mlp.inner, {rows, mlp.inner});
    tl.dot_into(block, x[step % 2], w1);
    tl.compute_into(block, kb::MathOp::relu, {block});
    store_at_others(tl, mlp, step * rows, block);
  }
  tl.wait(loaded);
}

// y += h w2 on the rows from `row` on, with the columns of h and the rows of w2 that belong to `pe`.
void add_block(kb::tl::Context& tl, const Mlp& mlp, std::int64_t row, std::int64_t pe, const TensorHandle& h,
               const TensorHandle& w2, const TensorHandle& y) {
  const TensorHandle sum = tl.view(y, row * mlp.out, {Mlp::kRows, mlp.out});
  tl.dot(h, tl.view(w2, pe * mlp.inner * mlp.out, {mlp.inner, mlp.out}), sum);
}

void blocks_of_others(kb::tl::Context& tl, const Mlp& mlp, const TensorHandle& w2, const TensorHandle& y) {
  const std::int64_t rows = Mlp::kRows, others = mlp.pes - 1, steps = mlp.tokens / rows * others;
  const TensorHandle h[2] = {tl.empty({rows, mlp.inner}), tl.empty({rows, mlp.inner})};
  const kb::tl::Ptr own_copy = mlp.h + mlp.me * mlp.pes * mlp.tokens * mlp.inner;
  const auto row_of = [&](std::int64_t step) { return step / others * rows; };
  const auto pe_of = [&](std::int64_t step) { return (mlp.me + 1 + step % others) % mlp.pes; };
  const auto load = [&](std::int64_t step) {
    return tl.load_into_async(h[step % 2], own_copy + (pe_of(step) * mlp.tokens + row_of(step)) * mlp.inner);
  };
  Future loaded = load(0);
  for (std::int64_t step = 0; step < steps; ++step) {
    tl.wait(loaded);
    if (step + 1 < steps) loaded = load(step + 1);
    add_block(tl, mlp, row_of(step), pe_of(step), h[step % 2], w2, y);
    if (step % others == others - 1) {
      tl.store_async(mlp.y + row_of(step) * mlp.out, tl.view(y, row_of(step) * mlp.out, {rows, mlp.out}));
    }
  }
}

}  // namespace

void staged(kb::tl::Context& tl, const Mlp& mlp) {
  const TensorHandle w2 = tl.empty({mlp.pes * mlp.inner, mlp.out}), h = tl.empty({mlp.tokens, mlp.inner});
  const TensorHandle y = tl.zeros({mlp.tokens, mlp.out}, kb::Dtype::f32);
  first_layer(tl, mlp, h, w2);
  for (std::int64_t row = 0; row < mlp.tokens; row += Mlp::kRows) {
    add_block(tl, mlp, row, mlp.me, tl.view(h, row * mlp.inner, {Mlp::kRows, mlp.inner}), w2, y);
  }
  tl.wait();  // h has arrived at the others
  tl.barrier();
  blocks_of_others(tl, mlp, w2, y);
}
