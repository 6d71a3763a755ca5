#include "kernels/parallel/pointwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "kernels/tl/tl.h"
#include "platform/base/nearest.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;

constexpr std::int64_t kPiece = 16384;  // elements of one tensor; a dozen of them in f32 fit the scratch

struct Function {
  const char* name;
  bool two;  // inputs
  TensorHandle (*apply)(Context& tl, const TensorHandle& x, const TensorHandle& y);
};

TensorHandle gelu(Context& tl, const TensorHandle& x) {
  const double slope = 2 * std::sqrt(2 / std::acos(-1.0));
  return x * tl.sigmoid(x * tl.fma(x * x, 0.044715 * slope, slope));
}

const Function kFunctions[] = {
    {"add", true, [](Context&, const TensorHandle& x, const TensorHandle& y) { return x + y; }},
    {"relu", false, [](Context& tl, const TensorHandle& x, const TensorHandle&) { return tl.relu(x); }},
    {"gelu", false, [](Context& tl, const TensorHandle& x, const TensorHandle&) { return gelu(tl, x); }},
    {"silu", false, [](Context& tl, const TensorHandle& x, const TensorHandle&) { return x * tl.sigmoid(x); }},
    {"swiglu", true, [](Context& tl, const TensorHandle& x, const TensorHandle& y) { return x * tl.sigmoid(x) * y; }},
};

const Function& function_named(Context& tl, const std::string& name, bool two) {
  std::vector<std::string> known;
  for (const Function& function : kFunctions) {
    if (function.two != two) continue;
    if (function.name == name) return function;
    known.emplace_back(function.name);
  }
  tl.fail(
      fmt::format("'{}' is not a function of {}; {}", name, two ? "two tensors" : "one tensor", suggest(name, known)));
}

TensorHandle in_f32(Context& tl, Ptr at, std::int64_t elements) {
  const TensorHandle value = tl.load(at, {elements});
  return is_float(at.dtype()) && at.dtype() != Dtype::f32 ? tl.cast(value, Dtype::f32) : value;
}

void pointwise(Context& tl, std::string name, Ptr x, Ptr out, std::optional<Ptr> y) {
  const Function& function = function_named(tl, name, y.has_value());
  tl.require(x.same_order(out) && (!y || y->same_order(out)),
             "the tensors must have one shape and be split the same way");
  const tl::LocalShard mine = tl.shard(out);
  for (std::int64_t at = 0; at < mine.elements; at += kPiece) {
    const tl::Scratch scope(tl);
    const std::int64_t elements = std::min(kPiece, mine.elements - at), first = mine.first + at;
    const TensorHandle left = in_f32(tl, x + first, elements);
    const TensorHandle right = y ? in_f32(tl, *y + first, elements) : TensorHandle();
    const TensorHandle result = function.apply(tl, left, right);
    tl.store(mine.ptr + at, result.dtype() == out.dtype() ? result : tl.cast(result, out.dtype()));
  }
}

void add_bias(Context& tl, Ptr x, Ptr bias, Ptr out) {
  tl.require_matrices({x, out});
  tl.require(x.same_order(out), "the tensors must have one shape and be split the same way");
  const tl::LocalShard mine = tl.shard(out), columns = tl.shard(bias);
  if (mine.elements == 0) return;
  const std::int64_t n = mine.shape[1];
  tl.require(columns.elements == n && columns.first * mine.shape[0] == mine.first,
             "the bias must be split by columns like the result");
  const TensorHandle row = tl.load(columns.ptr, {1, n});
  const std::int64_t step = std::max<std::int64_t>(1, kPiece / n);
  for (std::int64_t at = 0; at < mine.shape[0]; at += step) {
    const tl::Scratch scope(tl);
    const Shape shape{std::min(step, mine.shape[0] - at), n};
    const std::int64_t first = mine.first + at * n;
    tl.store(mine.ptr + at * n, tl.load(x + first, shape) + row);
  }
}

}  // namespace

contract::Kernel pointwise_kernel() {
  return tl::make_kernel("pointwise", "out = f(x) or f(x, y) on what each PE owns: add, relu, gelu, silu, swiglu",
                         {"function", "x", "out", "y"}, pointwise);
}

contract::Kernel add_bias_kernel() {
  return tl::make_kernel("add_bias", "out = x + bias on the columns each PE owns", {"x", "bias", "out"}, add_bias);
}

}  // namespace kb::kernels
