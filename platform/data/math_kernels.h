// The arithmetic of the math operations on flat arrays, in f32 for floats and in wrapping 64-bit for integers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/base/op_types.h"

namespace kb::data {

// A row-major array seen as (outer, length, inner) with the reduced axis in the middle.
struct AxisView {
  std::size_t outer = 1, length = 1, inner = 1;
};
AxisView axis_view(const Shape& shape, std::optional<int> axis);  // absent: all axes as one

// exp, log, sigmoid, cos, sin, rsqrt, tanh, erf, gelu, gelu_tanh and silu are evaluated in double and rounded to f32,
// which keeps their bits the same on CPUs whose library versions differ. maximum, minimum, clamp and relu pass NaNs on.
// fma rounds once. round goes to even at a tie. mod has the sign of x. Program Errors DIVISION_BY_ZERO for integers,
// VALUE_ERROR for a shift that is not within 0 .. bits - 1, `bits` being those of the dtype.
void elementwise(MathOp op, const std::vector<float>& x, const std::vector<float>& y, const std::vector<float>& z,
                 std::vector<float>& out);
void elementwise(MathOp op, const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& y,
                 const std::vector<std::int64_t>& z, std::vector<std::int64_t>& out, int bits = 64);

// eq, ne, lt, le, gt, ge: 0 or 1. A NaN is equal to nothing, not larger and not smaller. T is float or std::int64_t.
template <typename T>
void compare(MathOp op, const std::vector<T>& x, const std::vector<T>& y, std::vector<std::int64_t>& out);

// sum, max, min: one element per (outer, inner), in ascending order along the axis. softmax: x - max, exp, sum, divide.
// cumsum: each partial sum of that order.
void along_axis(MathOp op, AxisView view, const std::vector<float>& x, std::vector<float>& out);
void along_axis(MathOp op, AxisView view, const std::vector<std::int64_t>& x, std::vector<std::int64_t>& out);

}  // namespace kb::data
