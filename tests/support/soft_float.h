// Floats of every dtype with exact integer arithmetic, by IEEE 754 and the OCP formats. Independent of the data engine.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "platform/base/dtype.h"

namespace kb::tests {

// (-1)^negative * mantissa * 2^exponent, exactly.
struct Dyadic {
  bool negative = false;
  std::uint64_t mantissa = 0;
  int exponent = 0;
};
Dyadic product(const Dyadic& a, const Dyadic& b);  // mantissas of at most 32 bits

// A sum of dyadics as a fixed-point number of 640 bits, whose last bit has the value 2^-304. All products and sums of
// numbers of the dtypes, and of the midpoints between them, fit.
class Exact {
 public:
  Exact() = default;
  explicit Exact(const Dyadic& value) { add(value); }
  Exact& add(const Dyadic& value);
  int sign() const;                                  // -1, 0, 1
  int compare_magnitude(const Dyadic& other) const;  // of the magnitudes: -1, 0, 1

 private:
  static constexpr int kLast = -304;
  using Limbs = std::array<std::uint64_t, 10>;
  static Limbs placed(const Dyadic& value);
  static int compare(const Limbs& a, const Limbs& b);
  bool negative_ = false;
  Limbs limbs_{};
};

enum class FloatClass { finite, infinite, nan };

// The numbers of one dtype, by the bits of their encodings.
class SoftFloat {
 public:
  explicit SoftFloat(Dtype dtype);

  int bits() const { return 1 + exponent_bits_ + mantissa_bits_; }
  std::uint32_t nan() const { return nan_; }    // the positive quiet NaN
  std::uint32_t infinity(bool negative) const;  // for e4m3, which has none, the NaN
  std::uint32_t zero(bool negative) const { return negative ? sign_bit() : 0; }
  std::uint32_t sign_bit() const { return 1u << (bits() - 1); }
  bool is_negative(std::uint32_t encoding) const { return (encoding & sign_bit()) != 0; }
  FloatClass classify(std::uint32_t encoding) const;
  Dyadic value(std::uint32_t encoding) const;  // of a finite encoding

  // The encoding nearest to a number, ties to even. The number is given by the comparison of its magnitude with any
  // other
  // (-1, 0, 1); the search bisects the encodings, which are in the order of their values.
  std::uint32_t nearest(bool negative, const std::function<int(const Dyadic&)>& compare_magnitude) const;
  std::uint32_t nearest(const Exact& value, bool negative_zero = false) const;
  std::uint32_t nearest(const Dyadic& value) const;

  std::uint32_t add(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t sub(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t mul(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t div(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) const;
  std::uint32_t sqrt(std::uint32_t a) const;
  // IEEE 754-2019, 9.6: NaNs propagate, and +0 is larger than -0.
  std::uint32_t maximum(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t minimum(std::uint32_t a, std::uint32_t b) const;
  // Converts a number of another dtype.
  std::uint32_t converted(const SoftFloat& from, std::uint32_t encoding) const;
  std::uint32_t from_integer(std::int64_t value) const;
  // Truncates; false for NaNs, infinities, and integers that do not fit in `integer_bits`.
  bool to_integer(std::uint32_t encoding, int integer_bits, std::int64_t& out) const;

  double as_double(std::uint32_t encoding) const;  // exact
  // Distance from the number nearest to `value` to the next number away from zero.
  double unit_in_last_place(double value) const;

 private:
  Dyadic value_of_magnitude(std::uint32_t magnitude) const;  // also of the one after the largest finite number
  bool less(std::uint32_t a, std::uint32_t b) const;         // neither is a NaN; -0 is less than +0
  int exponent_bits_ = 0, mantissa_bits_ = 0, bias_ = 0;
  std::uint32_t largest_ = 0, nan_ = 0;  // largest: the magnitude of the largest finite number
  bool has_infinity_ = true;
};

}  // namespace kb::tests
