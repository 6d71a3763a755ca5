// Element-wise operations of PE_MATH on values with error bounds, for reference results.
#pragma once

#include <cstdint>

#include "platform/data/running_error.h"
#include "platform/ops/math_op.h"

namespace kb::data {

// Applies op to f32 numbers with one rounding to f32; NaNs and infinities propagate as in the engine. The result is
// unknown() when rounding can have changed it to any value.
Bounded bounded_math(MathOp op, Bounded x, Bounded y = {}, Bounded z = {});
// Result 0 or 1, or 1/2 with an error of 1/2 when rounding can have changed the outcome.
Bounded bounded_comparison(MathOp op, Bounded x, Bounded y);
// Integer operations before they wrap; `bits` is the width of the dtype, which limits shifts. Program Error
// DIVISION_BY_ZERO.
std::int64_t whole_math(MathOp op, std::int64_t x, std::int64_t y, std::int64_t z, int bits);

}  // namespace kb::data
