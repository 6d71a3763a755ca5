// Operations that select, place or generate elements: argmax, argmin, topk, concat, int4 packing, rand.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "platform/base/error.h"
#include "platform/data/executor.h"
#include "platform/data/math_kernels.h"
#include "platform/data/philox.h"

namespace kb::data {
namespace {

// Descending order in which a NaN is larger than all numbers.
template <typename T>
bool before(T a, T b) {
  if constexpr (std::is_same_v<T, float>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
  }
  return a > b;
}
template <typename T>
bool before_smallest(T a, T b) {
  if constexpr (std::is_same_v<T, float>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
  }
  return a < b;
}

template <typename T, typename Before>
std::vector<std::int64_t> first_along(AxisView view, const std::vector<T>& x, Before comes_before) {
  std::vector<std::int64_t> out(view.outer * view.inner);
  for (std::size_t o = 0; o < view.outer; ++o) {
    const T* in = x.data() + o * view.length * view.inner;
    for (std::size_t i = 0; i < view.inner; ++i) {
      std::size_t best = 0;
      for (std::size_t a = 1; a < view.length; ++a) {
        if (comes_before(in[a * view.inner + i], in[best * view.inner + i])) best = a;
      }
      out[o * view.inner + i] = static_cast<std::int64_t>(best);
    }
  }
  return out;
}

// The first k elements of each row of `length`, with their positions.
template <typename T>
void largest(std::size_t length, std::size_t k, const std::vector<T>& x, std::vector<T>& values,
             std::vector<std::int64_t>& places) {
  std::vector<std::int64_t> order(length);
  for (std::size_t row = 0; row < x.size(); row += length) {
    std::iota(order.begin(), order.end(), 0);
    const auto at = [&](std::int64_t i) { return x[row + static_cast<std::size_t>(i)]; };
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
        [&](std::int64_t a, std::int64_t b) { return before(at(a), at(b)) || (!before(at(b), at(a)) && a < b); });
    for (std::size_t i = 0; i < k; ++i) {
      values.push_back(at(order[i]));
      places.push_back(order[i]);
    }
  }
}

}  // namespace

template <typename Wide>
void Executor::run_arg(const MathOpRecord& op) {
  std::vector<Wide> in;
  load(op.inputs[0], op.inputs[0].shape, in);
  const AxisView view = axis_view(op.inputs[0].shape, op.axis);
  store_fitting(
      math_op_name(op.op), op.out,
      op.op == MathOp::argmax ? first_along(view, in, before<Wide>) : first_along(view, in, before_smallest<Wide>),
      kWiderResult);
}

template <typename Wide>
void Executor::run_topk(const MathOpRecord& op) {
  if (!op.positions || op.positions->shape != op.out.shape || op.positions->dtype != Dtype::i32) {
    throw Error::model("data engine: topk has no i32 operand of its result's shape for the positions");
  }
  std::vector<Wide> in, values;
  std::vector<std::int64_t> places;
  load(op.inputs[0], op.inputs[0].shape, in);
  largest(static_cast<std::size_t>(op.inputs[0].shape.back()), static_cast<std::size_t>(op.out.shape.back()), in,
          values, places);
  store(op.out, values);
  store(*op.positions, places);
}

template <typename Wide>
void Executor::run_concat(const MathOpRecord& op) {
  const AxisView whole = axis_view(op.out.shape, op.axis.value_or(0));
  std::vector<Wide> result(whole.outer * whole.length * whole.inner), part;
  std::size_t first = 0;  // offset of the part along the axis
  for (const OperandRef& input : op.inputs) {
    load(input, input.shape, part);
    const AxisView view = axis_view(input.shape, op.axis.value_or(0));
    const std::size_t piece = view.length * view.inner;
    for (std::size_t o = 0; o < view.outer; ++o) {
      std::copy_n(part.begin() + static_cast<std::ptrdiff_t>(o * piece), piece,
                  result.begin() + static_cast<std::ptrdiff_t>((o * whole.length + first) * whole.inner));
    }
    first += view.length;
  }
  store(op.out, result);
}

// Element 2 i lies in the lower half of byte i, as in ONNX; two's complement. Packing saturates.
void Executor::run_repacking(const MathOpRecord& op) {
  std::vector<std::int64_t> in, out;
  load(op.inputs[0], op.inputs[0].shape, in);
  if (op.op == MathOp::unpack_int4) {
    const auto half = [](std::int64_t bits) { return ((bits & 0xf) ^ 0x8) - 0x8; };
    out.reserve(in.size() * 2);
    for (const std::int64_t byte : in) {
      out.push_back(half(byte));
      out.push_back(half(byte >> 4));
    }
  } else {
    const auto half = [](std::int64_t value) { return std::clamp<std::int64_t>(value, -8, 7) & 0xf; };
    for (std::size_t i = 0; i + 1 < in.size(); i += 2) out.push_back(half(in[i]) | half(in[i + 1]) << 4);
  }
  store(op.out, out);
}

void Executor::run_rand(const MathOpRecord& op) {
  const auto word = [&](std::size_t input) {
    return static_cast<std::uint64_t>(std::get<std::int64_t>(op.inputs.at(input).immediate.value()));
  };
  const std::uint64_t seed = word(0), offset = word(1);
  const auto count = static_cast<std::size_t>(element_count(op.out.shape));
  std::vector<std::uint32_t> bits(count);
  std::array<std::uint32_t, 4> block{};
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t element = offset + i;
    if (i == 0 || element % 4 == 0) {
      const std::uint64_t counter = element / 4;
      block = philox4x32({static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 0, 0},
                         {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    }
    bits[i] = block[element % 4];
  }
  if (!is_float(op.out.dtype)) return store(op.out, std::vector<std::int64_t>(bits.begin(), bits.end()));
  // significant bits of numbers in [0.5, 1)
  const int kept = op.out.dtype == Dtype::f16 ? 11 : op.out.dtype == Dtype::bf16 ? 8 : 24;
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = std::ldexp(static_cast<float>(bits[i] >> (32 - kept)), -kept);
  store(op.out, values);
}

void Executor::run_selection(const MathOpRecord& op) {
  const bool floats = !op.inputs.empty() && is_float(op.inputs[0].dtype);
  switch (math_form(op.op)) {
    case MathForm::arg_reduction:
      return floats ? run_arg<float>(op) : run_arg<std::int64_t>(op);
    case MathForm::selection:
      return floats ? run_topk<float>(op) : run_topk<std::int64_t>(op);
    case MathForm::joining:
      return floats ? run_concat<float>(op) : run_concat<std::int64_t>(op);
    case MathForm::repacking:
      return run_repacking(op);
    default:
      throw Error::model("data engine: " + std::string(math_op_name(op.op)) + " selects nothing");
  }
}

}  // namespace kb::data
