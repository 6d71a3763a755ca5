// Arithmetic of the math operations on flat arrays: f32 for floats, wrapping 64-bit for integers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/ops/op_types.h"

namespace kb::data {

// A row-major array seen as (outer, length, inner), with the reduced axis in the middle.
struct AxisView {
  std::size_t outer = 1, length = 1, inner = 1;
};
AxisView axis_view(const Shape& shape, std::optional<int> axis);  // no axis: reduce over all elements

// exp, log, sigmoid, cos, sin, rsqrt, tanh, erf, gelu, gelu_tanh and silu are evaluated in double and rounded to f32,
// so that results are equal on CPUs with different library versions. maximum, minimum, max, min, clamp and relu follow
// IEEE 754-2019: they propagate NaNs, and +0 is larger than -0. round rounds ties to even. mod has the sign of x.
// Program Errors: DIVISION_BY_ZERO for integers, VALUE_ERROR for a shift outside 0 .. bits - 1, where `bits` is the
// width of the dtype. `result` is the dtype of the final rounding: an fma rounds to f32 with round-to-odd, so that the
// second rounding is correct.
void elementwise(MathOp op, const std::vector<float>& x, const std::vector<float>& y, const std::vector<float>& z,
                 std::vector<float>& out, Dtype result = Dtype::f32);
void elementwise(MathOp op, const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& y,
                 const std::vector<std::int64_t>& z, std::vector<std::int64_t>& out, int bits = 64);

// eq, ne, lt, le, gt, ge: 0 or 1; comparisons with a NaN are IEEE unordered. T is float or std::int64_t.
template <typename T>
void compare(MathOp op, const std::vector<T>& x, const std::vector<T>& y, std::vector<std::int64_t>& out);

// sum, max, min: one element per (outer, inner), reduced in ascending order along the axis. softmax: x - max, exp, sum,
// divide. cumsum: all partial sums in that order. Sums of integers are exact; program Error VALUE_ERROR when one does
// not fit `result`, i64 at most.
void along_axis(MathOp op, AxisView view, const std::vector<float>& x, std::vector<float>& out);
void along_axis(MathOp op, AxisView view, const std::vector<std::int64_t>& x, std::vector<std::int64_t>& out,
                const OperandRef& result);
inline constexpr const char* kWiderResult = "give it an out_dtype that holds it";  // remedy in error messages

}  // namespace kb::data
