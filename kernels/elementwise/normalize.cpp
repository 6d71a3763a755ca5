#include "kernels/elementwise/normalize.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/tl/tl.h"
#include "platform/base/nearest.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;

constexpr std::int64_t kTileBytes = 64 << 10;  // per tensor; a dozen of them fit the scratch

// Calls body(first row, rows) for pieces of the rows of `out` that this PE owns.
template <typename Body>
void for_own_rows(Context& tl, Ptr x, Ptr out, std::int64_t item, Body body) {
  tl.require(x.same_order(out), "the tensors must have one shape and be split the same way");
  const tl::LocalShard mine = tl.shard(out);
  if (mine.elements == 0) return;
  const std::int64_t n = out.shape()[1];
  tl.require(mine.shape[1] == n, "the tensors must be split by rows");
  const std::int64_t first = mine.first / n;
  const std::int64_t step = std::max<std::int64_t>(1, kTileBytes / (n * item));
  for (std::int64_t row = 0; row < mine.shape[0]; row += step) {
    const tl::Scratch scope(tl);
    body(first + row, std::min(step, mine.shape[0] - row));
  }
}

std::int64_t item_of(Ptr x) {
  return static_cast<std::int64_t>(item_size(x.dtype()));
}

MathOp named_operation(Context& tl, const std::string& name, int inputs) {
  std::vector<std::string> known;
  for (int i = 0; i < kMathOps; ++i) {
    const auto op = static_cast<MathOp>(i);
    if (!is_elementwise(op) || math_arity(op) != inputs) continue;
    known.emplace_back(math_op_name(op));
    if (known.back() == name) return op;
  }
  tl.fail(fmt::format("'{}' is not an element-wise operation of {} input(s); {}", name, inputs, suggest(name, known)));
}

void elementwise(Context& tl, std::string name, Ptr x, Ptr out, std::optional<Ptr> y) {
  tl.require_matrices({out});
  const MathOp op = named_operation(tl, name, y ? 2 : 1);
  tl.require(!y || y->same_order(out), "the tensors must have one shape and be split the same way");
  const std::int64_t n = out.shape()[1];
  for_own_rows(tl, x, out, item_of(x), [&](std::int64_t row, std::int64_t rows) {
    const Shape shape{rows, n};
    const TensorHandle a = tl.load(x + row * n, shape);
    const TensorHandle result = tl.empty(shape, out.dtype());
    if (y) {
      tl.compute_into(result, op, {a, tl.load(*y + row * n, shape)});
    } else {
      tl.compute_into(result, op, {a});
    }
    tl.store(out + row * n, result);
  });
}

void softmax(Context& tl, Ptr x, Ptr out) {
  tl.require_matrices({out});
  const std::int64_t n = out.shape()[1];
  for_own_rows(tl, x, out, item_of(x), [&](std::int64_t row, std::int64_t rows) {
    tl.store(out + row * n, tl.softmax(tl.load(x + row * n, {rows, n})));
  });
}

void layernorm(Context& tl, Ptr x, Ptr gamma, Ptr beta, Ptr out, double eps) {
  tl.require_matrices({out});
  const std::int64_t n = out.shape()[1];
  const auto in_f32 = [&](const TensorHandle& value) {
    return value.dtype() == Dtype::f32 ? value : tl.cast(value, Dtype::f32);
  };
  const TensorHandle scale = in_f32(tl.load(gamma, {1, n}));
  const TensorHandle shift = in_f32(tl.load(beta, {1, n}));
  const double per_element = 1.0 / static_cast<double>(n);
  for_own_rows(tl, x, out, 4, [&](std::int64_t row, std::int64_t rows) {
    const TensorHandle values = in_f32(tl.load(x + row * n, {rows, n}));
    const TensorHandle centred = values - tl.sum(values, 1) * per_element;
    const TensorHandle variance = tl.sum(centred * centred, 1) * per_element;
    const TensorHandle result = tl.fma(centred / tl.sqrt(variance + eps), scale, shift);
    tl.store(out + row * n, x.dtype() == Dtype::f32 ? result : tl.cast(result, x.dtype()));
  });
}

}  // namespace

contract::Kernel elementwise_kernel() {
  return tl::make_kernel("elementwise", "out = op(x) or op(x, y) on the rows each PE owns", {"op", "x", "out", "y"},
                         elementwise);
}

contract::Kernel softmax_kernel() {
  return tl::make_kernel("softmax", "out = softmax of each row of x, on the rows each PE owns", {"x", "out"}, softmax);
}

contract::Kernel layernorm_kernel() {
  return tl::make_kernel("layernorm", "out = layer normalisation of each row of x, on the rows each PE owns",
                         {"x", "gamma", "beta", "out", "eps"}, layernorm);
}

}  // namespace kb::kernels
