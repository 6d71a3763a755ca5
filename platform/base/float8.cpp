#include "platform/base/float8.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kb {
namespace {

struct Format {
  int mantissa;           // bits of the mantissa
  int bias;               // of the exponent
  std::uint8_t largest;   // largest finite number
  std::uint8_t overflow;  // encoding of larger numbers
  std::uint8_t nan;
};
constexpr Format kE4m3{3, 7, 0x7e, 0x7f, 0x7f};
constexpr Format kE5m2{2, 15, 0x7b, 0x7c, 0x7e};

const Format& format_of(Dtype dtype) {
  return dtype == Dtype::e4m3 ? kE4m3 : kE5m2;
}

double decoded(const Format& format, std::uint8_t bits) {
  const int magnitude = bits & 0x7f;
  const double sign = bits < 0x80 ? 1.0 : -1.0;
  if (magnitude > format.largest) {
    const bool infinite = magnitude == format.overflow && format.overflow != format.nan;
    const double special = infinite ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
    return std::copysign(special, sign);
  }
  const int exponent = std::max(magnitude >> format.mantissa, 1);  // subnormal numbers have the exponent of the
                                                                   // smallest normal number
  const int hidden = magnitude >> format.mantissa == 0 ? 0 : 1 << format.mantissa;
  const int digits = hidden + (magnitude & ((1 << format.mantissa) - 1));
  return sign * std::ldexp(digits, exponent - format.bias - format.mantissa);
}

std::array<double, 256> table_of(const Format& format) {
  std::array<double, 256> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = decoded(format, static_cast<std::uint8_t>(i));
  return out;
}

}  // namespace

std::uint8_t encode_float8(Dtype dtype, double value) {
  const Format& format = format_of(dtype);
  const std::uint8_t sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) return sign | format.nan;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | format.overflow;
  const int exponent = magnitude == 0 ? 1 - format.bias : std::max(std::ilogb(magnitude), 1 - format.bias);
  if (exponent > format.bias + 1) return sign | format.overflow;
  // In units of the last digit; a carry into the next exponent also increments the bits correctly.
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, format.mantissa - exponent)));
  const int bits = ((exponent + format.bias) << format.mantissa) + steps - (1 << format.mantissa);
  return sign | static_cast<std::uint8_t>(bits > format.largest ? format.overflow : bits);
}

double decode_float8(Dtype dtype, std::uint8_t bits) {
  static const std::array<double, 256> e4m3 = table_of(kE4m3), e5m2 = table_of(kE5m2);
  return (dtype == Dtype::e4m3 ? e4m3 : e5m2)[bits];
}

}  // namespace kb
