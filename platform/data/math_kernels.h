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

// exp, log, sigmoid, cos and sin are evaluated in double and rounded to f32, which keeps their bits the same on CPUs
// whose library versions differ. maximum, minimum, clamp and relu pass NaNs on. fma rounds once. Program Error
// DIVISION_BY_ZERO for integers.
void elementwise(MathOp op, const std::vector<float>& x, const std::vector<float>& y, const std::vector<float>& z,
                 std::vector<float>& out);
void elementwise(MathOp op, const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& y,
                 const std::vector<std::int64_t>& z, std::vector<std::int64_t>& out);

// sum, max, min: one element per (outer, inner), in ascending order along the axis. softmax: x - max, exp, sum, divide.
void along_axis(MathOp op, AxisView view, const std::vector<float>& x, std::vector<float>& out);
void along_axis(MathOp op, AxisView view, const std::vector<std::int64_t>& x, std::vector<std::int64_t>& out);

}  // namespace kb::data
