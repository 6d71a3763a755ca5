#include "tests/support/soft_float.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace kb::tests {
namespace {

__extension__ typedef unsigned __int128 Wide;

}  // namespace

Dyadic product(const Dyadic& a, const Dyadic& b) {
  return {a.negative != b.negative, a.mantissa * b.mantissa, a.exponent + b.exponent};
}

Exact::Limbs Exact::placed(const Dyadic& value) {
  Limbs out{};
  if (value.mantissa == 0) return out;
  const int shift = value.exponent - kLast;
  const auto limb = static_cast<std::size_t>(shift / 64);
  const Wide two_limbs = Wide{value.mantissa} << (shift % 64);
  out.at(limb) = static_cast<std::uint64_t>(two_limbs);
  if (const auto upper = static_cast<std::uint64_t>(two_limbs >> 64); upper != 0) out.at(limb + 1) = upper;
  return out;
}

int Exact::compare(const Limbs& a, const Limbs& b) {
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

Exact& Exact::add(const Dyadic& value) {
  Limbs other = placed(value);
  if (value.negative == negative_) {
    Wide carry = 0;
    for (std::size_t i = 0; i < other.size(); ++i) {
      carry += Wide{limbs_[i]} + other[i];
      limbs_[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    return *this;
  }
  Limbs own = limbs_;
  if (compare(own, other) < 0) {
    std::swap(own, other);
    negative_ = value.negative;
  }
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Wide taken = Wide{other[i]} + borrow;
    borrow = own[i] < taken ? 1 : 0;
    limbs_[i] = own[i] - static_cast<std::uint64_t>(taken);
  }
  return *this;
}

int Exact::sign() const {
  if (compare(limbs_, Limbs{}) == 0) return 0;
  return negative_ ? -1 : 1;
}

int Exact::compare_magnitude(const Dyadic& other) const {
  return compare(limbs_, placed(other));
}

SoftFloat::SoftFloat(Dtype dtype) {
  const auto format = [&](int exponent, int mantissa, std::uint32_t largest, std::uint32_t nan) {
    exponent_bits_ = exponent;
    mantissa_bits_ = mantissa;
    bias_ = (1 << (exponent - 1)) - 1;
    largest_ = largest;
    nan_ = nan;
  };
  switch (dtype) {
    case Dtype::f16:
      format(5, 10, 0x7bff, 0x7e00);
      return;
    case Dtype::bf16:
      format(8, 7, 0x7f7f, 0x7fc0);
      return;
    case Dtype::f32:
      format(8, 23, 0x7f7fffff, 0x7fc00000);
      return;
    case Dtype::e5m2:
      format(5, 2, 0x7b, 0x7e);
      return;
    case Dtype::e4m3:
      has_infinity_ = false;
      format(4, 3, 0x7e, 0x7f);
      return;
    default:
      std::abort();
  }
}

std::uint32_t SoftFloat::infinity(bool negative) const {
  if (!has_infinity_) return nan_;
  return (largest_ + 1) | zero(negative);
}

FloatClass SoftFloat::classify(std::uint32_t encoding) const {
  const std::uint32_t magnitude = encoding & (sign_bit() - 1);
  if (magnitude <= largest_) return FloatClass::finite;
  return has_infinity_ && magnitude == largest_ + 1 ? FloatClass::infinite : FloatClass::nan;
}

Dyadic SoftFloat::value_of_magnitude(std::uint32_t magnitude) const {
  const auto exponent = static_cast<int>(magnitude >> mantissa_bits_);
  const std::uint32_t hidden = 1u << mantissa_bits_, digits = magnitude & (hidden - 1);
  if (exponent == 0) return {false, digits, 1 - bias_ - mantissa_bits_};
  return {false, hidden + digits, exponent - bias_ - mantissa_bits_};
}

Dyadic SoftFloat::value(std::uint32_t encoding) const {
  Dyadic out = value_of_magnitude(encoding & (sign_bit() - 1));
  out.negative = is_negative(encoding);
  return out;
}

std::uint32_t SoftFloat::nearest(bool negative, const std::function<int(const Dyadic&)>& compare_magnitude) const {
  // below: the largest finite number that is not above the one to be rounded; 0 is not above any.
  std::uint32_t below = 0, above = largest_ + 1;
  while (above - below > 1) {
    const std::uint32_t between = below + (above - below) / 2;
    (compare_magnitude(value_of_magnitude(between)) >= 0 ? below : above) = between;
  }
  // The middle to the next one has a digit more; after the largest number the next one in sequence is taken.
  Dyadic middle = value_of_magnitude(below);
  middle.mantissa = 2 * middle.mantissa + 1;
  middle.exponent -= 1;
  const int side = compare_magnitude(middle);
  const std::uint32_t magnitude = side > 0 || (side == 0 && below % 2 == 1) ? below + 1 : below;
  if (magnitude > largest_) return infinity(negative);
  return magnitude | zero(negative);
}

std::uint32_t SoftFloat::nearest(const Exact& value, bool negative_zero) const {
  if (value.sign() == 0) return zero(negative_zero);
  return nearest(value.sign() < 0, [&](const Dyadic& other) { return value.compare_magnitude(other); });
}

std::uint32_t SoftFloat::nearest(const Dyadic& value) const {
  return nearest(Exact(value), value.negative);
}

std::uint32_t SoftFloat::add(std::uint32_t a, std::uint32_t b) const {
  return fma(a, nearest(Dyadic{false, 1, 0}), b);
}

std::uint32_t SoftFloat::sub(std::uint32_t a, std::uint32_t b) const {
  return add(a, b ^ sign_bit());
}

std::uint32_t SoftFloat::mul(std::uint32_t a, std::uint32_t b) const {
  const bool negative = is_negative(a) != is_negative(b);
  const FloatClass x = classify(a), y = classify(b);
  if (x == FloatClass::nan || y == FloatClass::nan) return nan_;
  const bool zeros =
      (x == FloatClass::finite && value(a).mantissa == 0) || (y == FloatClass::finite && value(b).mantissa == 0);
  if (x == FloatClass::infinite || y == FloatClass::infinite) return zeros ? nan_ : infinity(negative);
  return nearest(product(value(a), value(b)));
}

std::uint32_t SoftFloat::fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
  const bool negative = is_negative(a) != is_negative(b);  // of the product
  const FloatClass x = classify(a), y = classify(b), z = classify(c);
  if (x == FloatClass::nan || y == FloatClass::nan || z == FloatClass::nan) return nan_;
  if (x == FloatClass::infinite || y == FloatClass::infinite) {
    const std::uint32_t infinite = mul(a, b);
    const bool opposite = z == FloatClass::infinite && is_negative(c) != negative;
    return classify(infinite) == FloatClass::nan || opposite ? nan_ : infinite;
  }
  if (z == FloatClass::infinite) return c;
  Exact sum(product(value(a), value(b)));
  sum.add(value(c));
  // A sum that is zero has the sign of both terms when they agree, else it is +0.
  return nearest(sum, negative && is_negative(c));
}

std::uint32_t SoftFloat::div(std::uint32_t a, std::uint32_t b) const {
  const bool negative = is_negative(a) != is_negative(b);
  const FloatClass x = classify(a), y = classify(b);
  if (x == FloatClass::nan || y == FloatClass::nan) return nan_;
  if (x == FloatClass::infinite) return y == FloatClass::infinite ? nan_ : infinity(negative);
  if (y == FloatClass::infinite) return zero(negative);
  Dyadic left = value(a), right = value(b);
  if (right.mantissa == 0) return left.mantissa == 0 ? nan_ : infinity(negative);
  if (left.mantissa == 0) return zero(negative);
  left.negative = right.negative = false;
  const Exact dividend(left);
  // a / b compares with a number as a does with b times it.
  return nearest(negative, [&](const Dyadic& other) { return dividend.compare_magnitude(product(other, right)); });
}

std::uint32_t SoftFloat::sqrt(std::uint32_t a) const {
  if (classify(a) == FloatClass::nan) return nan_;
  if (classify(a) == FloatClass::finite && value(a).mantissa == 0) return a;
  if (is_negative(a)) return nan_;
  if (classify(a) == FloatClass::infinite) return a;
  const Exact square(value(a));
  return nearest(false, [&](const Dyadic& other) { return square.compare_magnitude(product(other, other)); });
}

bool SoftFloat::less(std::uint32_t a, std::uint32_t b) const {
  const auto place = [&](std::uint32_t encoding) {
    const auto magnitude = static_cast<std::int64_t>(encoding & (sign_bit() - 1));
    return is_negative(encoding) ? -1 - magnitude : magnitude;
  };
  return place(a) < place(b);
}

std::uint32_t SoftFloat::maximum(std::uint32_t a, std::uint32_t b) const {
  if (classify(a) == FloatClass::nan || classify(b) == FloatClass::nan) return nan_;
  return less(a, b) ? b : a;
}

std::uint32_t SoftFloat::minimum(std::uint32_t a, std::uint32_t b) const {
  if (classify(a) == FloatClass::nan || classify(b) == FloatClass::nan) return nan_;
  return less(a, b) ? a : b;
}

std::uint32_t SoftFloat::converted(const SoftFloat& from, std::uint32_t encoding) const {
  switch (from.classify(encoding)) {
    case FloatClass::nan:
      return nan_;
    case FloatClass::infinite:
      return infinity(from.is_negative(encoding));
    case FloatClass::finite:
      break;
  }
  return nearest(from.value(encoding));
}

std::uint32_t SoftFloat::from_integer(std::int64_t value) const {
  const auto bits = static_cast<std::uint64_t>(value);
  return nearest(Dyadic{value < 0, value < 0 ? 0 - bits : bits, 0});
}

bool SoftFloat::to_integer(std::uint32_t encoding, int integer_bits, std::int64_t& out) const {
  if (classify(encoding) != FloatClass::finite) return false;
  const Dyadic x = value(encoding);
  Wide whole = x.mantissa;
  if (x.exponent > 64) return x.mantissa == 0 ? (out = 0, true) : false;
  whole = x.exponent >= 0 ? whole << x.exponent : x.exponent > -64 ? whole >> -x.exponent : Wide{0};
  const Wide limit = (Wide{1} << (integer_bits - 1)) - (x.negative ? 0 : 1);
  if (whole > limit) return false;
  const auto magnitude = static_cast<std::uint64_t>(whole);
  out = static_cast<std::int64_t>(x.negative ? 0 - magnitude : magnitude);
  return true;
}

double SoftFloat::as_double(std::uint32_t encoding) const {
  switch (classify(encoding)) {
    case FloatClass::nan:
      return std::numeric_limits<double>::quiet_NaN();
    case FloatClass::infinite:
      return is_negative(encoding) ? -HUGE_VAL : HUGE_VAL;
    case FloatClass::finite:
      break;
  }
  const Dyadic x = value(encoding);
  const double magnitude = std::ldexp(static_cast<double>(x.mantissa), x.exponent);
  return x.negative ? -magnitude : magnitude;
}

double SoftFloat::unit_in_last_place(double value) const {
  const int least = 1 - bias_;
  const int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
  return std::ldexp(1.0, exponent - mantissa_bits_);
}

}  // namespace kb::tests
