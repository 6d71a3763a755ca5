// The element-wise operations of PE_MATH on values with error bounds, for references.
#pragma once

#include <cstdint>

#include "platform/data/running_error.h"
#include "platform/ops/math_op.h"

namespace kb::data {

// op of f32 numbers, rounded once to f32; NaNs and infinities go through it as through the engine's. What rounding can
// have moved to anything is unknown().
Bounded bounded_math(MathOp op, Bounded x, Bounded y = {}, Bounded z = {});
// 0 or 1; either when rounding can have turned it: 1/2 with an error of 1/2.
Bounded bounded_comparison(MathOp op, Bounded x, Bounded y);
// The operations of integers, before they wrap; `bits` are those of the dtype, which shifts take. Program Error
// DIVISION_BY_ZERO.
std::int64_t whole_math(MathOp op, std::int64_t x, std::int64_t y, std::int64_t z, int bits);

}  // namespace kb::data
