#include "platform/data/bounded_math.h"

#include <algorithm>
#include <cmath>

#include "platform/base/error.h"

namespace kb::data {
namespace {

constexpr double kLibrary = 0x1p-44;  // error bound of a function that is composed of several steps in double

// The interval from low to high.
Bounded hull(double low, double high) {
  if (low == high || (std::isnan(low) && std::isnan(high))) return {low, 0};
  if (!std::isfinite(low) || !std::isfinite(high)) return unknown(std::isfinite(low) ? low : high);
  return {low + (high - low) / 2, (high - low) / 2};
}

// Bound of an operation that is exact in f32 and monotonically increasing.
template <typename F>
Bounded monotone(F f, Bounded x) {
  return x.error == 0 ? Bounded{f(x.value), 0} : hull(f(x.value - x.error), f(x.value + x.error));
}

// Bound of a function that is evaluated in double and rounded to f32, from its values at the ends and its slope.
Bounded evaluated(Bounded x) {
  if (!std::isfinite(x.error)) return x;
  if (!std::isfinite(x.value)) return {x.value, 0};
  return rounded(Dtype::f32, {x.value, x.error + kLibrary * std::fabs(x.value)});
}
template <typename F>
Bounded rising(F f, Bounded x) {
  return evaluated(x.error == 0 ? Bounded{f(x.value), 0} : hull(f(x.value - x.error), f(x.value + x.error)));
}
template <typename F>
Bounded sloped(F f, Bounded x, double slope) {
  const double value = f(x.value);
  if (x.error == 0) return evaluated({value, 0});
  return std::isfinite(value) ? evaluated({value, slope * x.error}) : unknown(value);
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

// x gate(x), which approaches -0 where the gate approaches 0.
template <typename F>
Bounded gated(F gate, Bounded x, double slope) {
  return sloped([gate](double v) { return std::isinf(v) && v < 0 ? -0.0 : v * gate(v); }, x, slope);
}

Bounded unary(MathOp op, Bounded x) {
  if (!std::isfinite(x.error)) return unknown(x.value);
  switch (op) {
    case MathOp::exp:
      return rising([](double v) { return std::exp(v); }, x);
    case MathOp::log:
      return rising([](double v) { return std::log(v); }, x);
    case MathOp::sqrt:
      return x.error == 0 ? rounded(Dtype::f32, {std::sqrt(x.value), 0})
                          : rising([](double v) { return std::sqrt(v); }, x);
    case MathOp::rsqrt: {
      const Bounded negative = rising([](double v) { return -1 / std::sqrt(v); }, x);
      return {-negative.value, negative.error};
    }
    case MathOp::tanh:
      return rising([](double v) { return std::tanh(v); }, x);
    case MathOp::erf:
      return rising([](double v) { return std::erf(v); }, x);
    case MathOp::sigmoid:
      return rising(sigmoid, x);
    case MathOp::cos:
      return sloped([](double v) { return std::cos(v); }, x, 1);
    case MathOp::sin:
      return sloped([](double v) { return std::sin(v); }, x, 1);
    case MathOp::gelu:
      return gated([](double v) { return std::erfc(-v / std::sqrt(2.0)) / 2; }, x, 1.13);
    case MathOp::gelu_tanh:
      return gated([](double v) { return sigmoid(2 * std::sqrt(2 / std::acos(-1.0)) * (v + 0.044715 * v * v * v)); }, x,
                   1.13);
    case MathOp::silu:
      return gated(sigmoid, x, 1.1);
    case MathOp::abs:
      return x.error >= std::fabs(x.value) && x.error > 0 ? hull(0, std::fabs(x.value) + x.error)
                                                          : Bounded{std::fabs(x.value), x.error};
    case MathOp::neg:
      return {-x.value, x.error};
    case MathOp::relu:
      return std::isnan(x.value) ? x : monotone([](double v) { return v > 0 ? v : 0; }, x);
    case MathOp::floor:
      return monotone([](double v) { return std::floor(v); }, x);
    case MathOp::ceil:
      return monotone([](double v) { return std::ceil(v); }, x);
    case MathOp::round:
      return monotone([](double v) { return std::nearbyint(v); }, x);
    default:
      break;
  }
  throw Error::model("no bounds are known of " + std::string(math_op_name(op)) + " of floats");
}

Bounded opposite(Bounded x) {
  return {-x.value, x.error};
}
Bounded larger(Bounded x, Bounded y) {
  if (std::isnan(x.value)) return x;
  if (std::isnan(y.value)) return y;
  if (x.error != 0 || y.error != 0) return maximum(x, y);
  if (x.value == 0 && y.value == 0) return std::signbit(x.value) ? y : x;  // +0 is larger than -0
  return x.value > y.value ? x : y;
}
Bounded smaller(Bounded x, Bounded y) {
  return opposite(larger(opposite(x), opposite(y)));
}

Bounded remainder(Bounded x, Bounded y) {
  const double value = std::fmod(x.value, y.value);
  return x.error == 0 && y.error == 0 ? Bounded{value, 0} : unknown(value);
}

Bounded chosen(Bounded condition, Bounded x, Bounded y) {
  if (condition.error == 0) return condition.value != 0 ? x : y;
  if (std::fabs(condition.value) > condition.error) return x;
  if (!std::isfinite(x.error) || !std::isfinite(y.error)) return unknown(x.value);
  return hull(std::min(x.value - x.error, y.value - y.error), std::max(x.value + x.error, y.value + y.error));
}

[[noreturn]] void no_operation(MathOp op) {
  throw Error::model("no reference of " + std::string(math_op_name(op)) + " of integers");
}

}  // namespace

Bounded bounded_math(MathOp op, Bounded x, Bounded y, Bounded z) {
  switch (op) {
    case MathOp::add:
      return add(x, y);
    case MathOp::sub:
      return subtract(x, y);
    case MathOp::mul:
      return multiply(x, y);
    case MathOp::div:
      return divide(x, y);
    case MathOp::maximum:
      return larger(x, y);
    case MathOp::minimum:
      return smaller(x, y);
    case MathOp::mod:
      return remainder(x, y);
    case MathOp::fma:
      return multiply_add(x, y, z);
    case MathOp::clamp:
      return smaller(larger(x, y), z);
    case MathOp::where:
      return chosen(x, y, z);
    default:
      return unary(op, x);
  }
}

Bounded bounded_comparison(MathOp op, Bounded x, Bounded y) {
  const bool apart = x.error + y.error == 0 || std::fabs(x.value - y.value) > x.error + y.error;
  if (!apart) return {0.5, 0.5};
  const bool truth = [&] {
    switch (op) {
      case MathOp::eq:
        return x.value == y.value;
      case MathOp::ne:
        return x.value != y.value;
      case MathOp::lt:
        return x.value < y.value;
      case MathOp::le:
        return x.value <= y.value;
      case MathOp::gt:
        return x.value > y.value;
      case MathOp::ge:
        return x.value >= y.value;
      default:
        no_operation(op);
    }
  }();
  return {truth ? 1.0 : 0.0, 0};
}

std::int64_t whole_math(MathOp op, std::int64_t x, std::int64_t y, std::int64_t z, int bits) {
  const auto a = static_cast<std::uint64_t>(x), b = static_cast<std::uint64_t>(y), c = static_cast<std::uint64_t>(z);
  const auto whole = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  const auto check_divisor = [&] {
    if (y == 0) throw Error::program("DIVISION_BY_ZERO", std::string(math_op_name(op)) + ": divides by zero");
  };
  switch (op) {
    case MathOp::add:
      return whole(a + b);
    case MathOp::sub:
      return whole(a - b);
    case MathOp::mul:
      return whole(a * b);
    case MathOp::fma:
      return whole(a * b + c);
    case MathOp::div:
      check_divisor();
      return y == -1 ? whole(0 - a) : x / y;
    case MathOp::mod:
      check_divisor();
      return y == -1 ? 0 : x % y;
    case MathOp::maximum:
      return std::max(x, y);
    case MathOp::minimum:
      return std::min(x, y);
    case MathOp::clamp:
      return std::min(std::max(x, y), z);
    case MathOp::where:
      return x != 0 ? y : z;
    case MathOp::abs:
      return x < 0 ? whole(0 - a) : x;
    case MathOp::neg:
      return whole(0 - a);
    case MathOp::relu:
      return std::max<std::int64_t>(x, 0);
    case MathOp::bit_not:
      return ~x;
    case MathOp::bit_and:
      return x & y;
    case MathOp::bit_or:
      return x | y;
    case MathOp::bit_xor:
      return x ^ y;
    case MathOp::shl:
      return whole(a << y);
    case MathOp::shr:
      return x >> y;
    case MathOp::shr_logical:
      return whole((a & (~std::uint64_t{0} >> (64 - bits))) >> y);
    case MathOp::eq:
      return x == y;
    case MathOp::ne:
      return x != y;
    case MathOp::lt:
      return x < y;
    case MathOp::le:
      return x <= y;
    case MathOp::gt:
      return x > y;
    case MathOp::ge:
      return x >= y;
    default:
      no_operation(op);
  }
}

}  // namespace kb::data
