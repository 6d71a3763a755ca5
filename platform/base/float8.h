// The 8-bit floats of the OCP specification "8-bit floating point", revision 1.0.
#pragma once

#include <cstdint>

#include "platform/base/dtype.h"

namespace kb {

// One rounding to nearest even from the double, subnormal numbers included. What is too large becomes infinite, or, in
// e4m3, which has no infinities, NaN; nothing saturates, as in PyTorch and ml_dtypes. Every NaN becomes 0x7f (e4m3) or
// 0x7e (e5m2), and keeps its sign.
std::uint8_t encode_float8(Dtype dtype, double value);
double decode_float8(Dtype dtype, std::uint8_t bits);

}  // namespace kb
