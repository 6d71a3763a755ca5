// Rounding to odd: the last bit of an inexact result is 1, so that a second rounding to at least two bits fewer equals
// a single rounding of the exact value (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved
// algorithms using rounding to odd", IEEE Transactions on Computers 57(4), 2008).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace kb {

inline float odd_float(double value) {
  auto single = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(single) == value) return single;
  if (std::fabs(static_cast<double>(single)) > std::fabs(value)) single = std::nextafter(single, 0.0f);
  std::uint32_t bits;
  std::memcpy(&bits, &single, sizeof bits);
  bits |= 1u;
  std::memcpy(&single, &bits, sizeof single);
  return single;
}

inline double odd_double(std::int64_t value) {
  constexpr int kDropped = 11;  // low bits of a 64-bit integer that do not fit into a double
  constexpr std::uint64_t kRest = (std::uint64_t{1} << kDropped) - 1;
  const auto bits = static_cast<std::uint64_t>(value);
  std::uint64_t magnitude = value < 0 ? 0 - bits : bits;
  // Below 2^53 the double is exact; above, the lowest remaining bit becomes sticky.
  if (magnitude >> 53 != 0 && (magnitude & kRest) != 0) magnitude = (magnitude & ~kRest) | (kRest + 1);
  const auto real = static_cast<double>(magnitude);
  return value < 0 ? -real : real;
}

// x * y + z. x and y have at most 24 significant bits, and their exponents keep the product a normal double.
inline float odd_fma(float x, float y, float z) {
  const double product = static_cast<double>(x) * static_cast<double>(y), term = z, sum = product + term;
  if (!std::isfinite(sum)) return static_cast<float>(sum);
  // Rounding error of the sum (Knuth's TwoSum).
  const double from_term = sum - product, rest = (product - (sum - from_term)) + (term - from_term);
  if (rest == 0.0) return odd_float(sum);
  std::uint64_t bits;
  std::memcpy(&bits, &sum, sizeof bits);
  if ((bits & 1u) != 0) return odd_float(sum);
  // The exact value lies between this even double and the adjacent odd one.
  return odd_float(std::nextafter(sum, rest > 0 ? HUGE_VAL : -HUGE_VAL));
}

}  // namespace kb
