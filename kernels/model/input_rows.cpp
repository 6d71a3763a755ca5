#include "kernels/model/input_rows.h"

#include <algorithm>

#include "kernels/tl/tl.h"

namespace kb::kernels {

using tl::Context;
using tl::Future;
using tl::TensorHandle;

namespace {

constexpr std::int64_t kFewRows = 8;  // up to these, PE_MATH is faster than products of which the diagonal is needed
constexpr std::int64_t kPowers = 16;  // 2^0 .. 2^15 are below the largest f16

}  // namespace

InputRows::InputRows(Context& tl, const NormLinear& problem) : tl_(tl), problem_(problem) {
  const std::int64_t elements = problem.block_rows * problem.depth.size;
  const std::int64_t sets = std::min<std::int64_t>(2, problem.blocks());
  for (std::int64_t i = 0; i < sets; ++i) {
    Buffer& made = buffer(i);
    made.sum = tl.empty({elements}, problem.dtype);
    if (problem.two_buffers()) made.other = tl.empty({elements}, problem.dtype);
    if (problem.norm()) made.squares = tl.empty({problem.block_rows}, Dtype::f32);
  }
  if (problem.norm()) gamma_ = tl.empty({1, problem.depth.size}, problem.dtype);
  if (problem.scales_gamma()) unit_ = tl.empty({1, 1}, Dtype::f32);
}

void InputRows::wait(std::vector<Future>& pending) {
  for (const Future& future : pending) tl_.wait(future);
  pending.clear();
}

void InputRows::load(std::int64_t block, std::int64_t first, std::int64_t count) {
  Buffer& into = buffer(block);
  if (first == 0) wait(into.stores);
  const std::vector<std::int64_t> numbers = problem_.inputs_in({problem_.block(block).first + first, count});
  if (!problem_.x.null()) {
    const TensorHandle& room = problem_.adds() ? into.other : into.sum;
    problem_.x.load(tl_, rows_in(room, first, count), numbers, problem_.depth.first, into.loads);
  }
  if (!problem_.residual.null()) {
    problem_.residual.load(tl_, rows_in(into.sum, first, count), numbers, problem_.depth.first, into.loads);
  }
  into.asked = first + count;
}

void InputRows::load_rest(std::int64_t block) {
  const std::int64_t asked = buffer(block).asked, rows = problem_.block(block).size;
  if (asked < rows) load(block, asked, rows - asked);
}

void InputRows::load_gamma() {
  if (problem_.norm()) problem_.gamma.load(tl_, gamma_, {0}, problem_.depth.first, gamma_loads_);
}

TensorHandle InputRows::prepare(std::int64_t block) {
  load_rest(block);
  Buffer& from = buffer(block);
  wait(from.loads);
  from.asked = 0;
  const std::int64_t rows = problem_.block(block).size;
  TensorHandle sum = rows_in(from.sum, 0, rows);
  if (problem_.adds()) tl_.compute_into(sum, MathOp::add, {sum, rows_in(from.other, 0, rows)});
  if (!problem_.residual_out.null()) {
    problem_.residual_out.store(tl_, sum, problem_.outputs_in(problem_.block(block)), problem_.depth.first,
                                from.stores);
  }
  if (!problem_.norm() || problem_.members() == 0) return sum;
  if (!gamma_loads_.empty()) {
    wait(gamma_loads_);
    if (problem_.scales_gamma()) scale_gamma();
  }
  squares_ = tl_.view(from.squares, 0, {rows});
  take_squares(sum, squares_);
  TensorHandle weighed = rows_in(from.other.null() ? from.sum : from.other, 0, rows);
  tl_.compute_into(weighed, MathOp::mul, {sum, gamma_});
  return weighed;
}

void InputRows::finish() {
  for (Buffer& some : buffers_) wait(some.stores);
}

// Divides gamma by the lowest power of two that makes all own elements at most 1, which changes no significant digit:
// then x * gamma is not larger than x.
void InputRows::scale_gamma() {
  const tl::Scratch scope(tl_);
  const TensorHandle largest = tl_.cast(tl_.maximum(tl_.max(gamma_), -tl_.min(gamma_)), Dtype::f32);
  const TensorHandle powers = tl_.cast(tl_.shl(1, tl_.arange(0, kPowers)), Dtype::f32);
  tl_.assign(unit_, tl_.shl(1, tl_.sum(tl_.gt(largest, powers))));
  tl_.compute_into(gamma_, MathOp::mul, {gamma_, tl_.cast(1 / unit_, Dtype::f16)});
}

void InputRows::take_squares(const TensorHandle& x, const TensorHandle& out) {
  const std::int64_t rows = x.size(0), width = x.size(1);
  const tl::Scratch scope(tl_);
  if (rows <= kFewRows) {
    const TensorHandle squares = x.dtype() == Dtype::f32 ? tl_.mul(x, x) : tl_.cast(x, Dtype::f32);
    if (x.dtype() != Dtype::f32) tl_.compute_into(squares, MathOp::mul, {squares, squares});
    tl_.assign(tl_.view(out, 0, {rows, 1}), tl_.sum(squares, 1));
    return;
  }
  for (std::int64_t row = 0; row < rows; row += kArrayRows) {
    const std::int64_t size = std::min(kArrayRows, rows - row);
    const TensorHandle some = tl_.view(x, row * width, {size, width});
    const TensorHandle products = tl_.dot(some, tl_.trans(some));
    const TensorHandle numbers = tl_.arange(0, size);
    const TensorHandle diagonal = tl_.eq(tl_.view(numbers, 0, {size, 1}), tl_.view(numbers, 0, {1, size}));
    tl_.assign(tl_.view(out, row, {size, 1}), tl_.sum(tl_.where(diagonal, products, 0.0), 1));
  }
}

std::int64_t InputRows::scratch_for_squares(const NormLinear& problem, std::int64_t rows) {
  if (!problem.norm()) return 0;
  return rows <= kFewRows ? 4 * rows * problem.deepest : 5 * std::int64_t{4} * kArrayRows * kArrayRows;
}

}  // namespace kb::kernels
