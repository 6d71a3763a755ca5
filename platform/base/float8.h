// The 8-bit floats of the OCP specification "8-bit floating point", revision 1.0.
#pragma once

#include <cstdint>

#include "platform/base/dtype.h"

namespace kb {

// Rounds the double once to nearest even, subnormal numbers included. A value that is too large becomes infinite, or
// NaN in e4m3, which has no infinities; values do not saturate, as in PyTorch and ml_dtypes. Every NaN becomes 0x7f
// (e4m3) or 0x7e (e5m2) and keeps its sign.
std::uint8_t encode_float8(Dtype dtype, double value);
double decode_float8(Dtype dtype, std::uint8_t bits);

}  // namespace kb
