// Transcendental functions within one unit in the last place of long double's (P-90).
#include <cmath>
#include <functional>

#include "tests/unit/arithmetic/machine.h"

namespace kb::tests {
namespace {

using Real = long double;

struct Function {
  MathOp op;
  std::function<Real(Real)> exact;
};

const std::vector<Function>& functions() {
  const Real pi = std::acos(Real{-1});
  static const std::vector<Function> all{
      {MathOp::exp, [](Real x) { return std::exp(x); }},
      {MathOp::log, [](Real x) { return std::log(x); }},
      {MathOp::sigmoid, [](Real x) { return 1 / (1 + std::exp(-x)); }},
      {MathOp::cos, [](Real x) { return std::cos(x); }},
      {MathOp::sin, [](Real x) { return std::sin(x); }},
      {MathOp::rsqrt, [](Real x) { return 1 / std::sqrt(x); }},
      {MathOp::tanh, [](Real x) { return std::tanh(x); }},
      {MathOp::erf, [](Real x) { return std::erf(x); }},
      {MathOp::gelu,
       [](Real x) { return std::isinf(x) ? (x < 0 ? -Real{0} : x) : x / 2 * std::erfc(-x / std::sqrt(Real{2})); }},
      {MathOp::gelu_tanh,
       [pi](Real x) {
         if (std::isinf(x)) return x < 0 ? -Real{0} : x;
         return x / (1 + std::exp(-2 * std::sqrt(2 / pi) * (x + Real{0.044715L} * x * x * x)));
       }},
      {MathOp::silu, [](Real x) { return std::isinf(x) ? (x < 0 ? -Real{0} : x) : x / (1 + std::exp(-x)); }},
  };
  return all;
}

Encodings arguments(Dtype dtype, std::uint64_t seed) {
  if (dtype == Dtype::f32) return operands(dtype, 1, seed)[0];
  Encodings all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

TEST(Functions, AreWithinOneUnitInTheLastPlace) {
  for (const Dtype dtype : kFloats) {
    const SoftFloat soft(dtype);
    for (const Function& one : functions()) {
      const Encodings in = arguments(dtype, 5000 + static_cast<std::uint64_t>(one.op));
      Machine machine;
      const Encodings got = machine.run(one.op, dtype, dtype, {in});
      for (std::size_t i = 0; i < in.size(); ++i) {
        const auto bits = static_cast<std::uint32_t>(got[i]);
        const double x = soft.as_double(static_cast<std::uint32_t>(in[i])), y = soft.as_double(bits);
        const Real want = one.exact(Real{x});
        const auto text = [&] {
          return std::string(math_op_name(one.op)) + " " + std::string(dtype_name(dtype)) + " of " + std::to_string(x) +
                 " " + hex(in[i]) + ": " + std::to_string(y);
        };
        if (std::isnan(want)) {
          ASSERT_EQ(bits, soft.nan()) << text();
          continue;
        }
        const double nearest = static_cast<double>(want);
        if (std::isinf(y) || std::isinf(nearest)) {
          // Either both are, or the exact value rounds there.
          const double largest = soft.as_double(soft.infinity(false) - 1);
          ASSERT_TRUE(y == nearest || (std::fabs(nearest) >= largest && std::signbit(y) == std::signbit(nearest)))
              << text();
          continue;
        }
        const double unit = soft.unit_in_last_place(nearest);
        ASSERT_LE(std::fabs(static_cast<double>(Real{y} - want)), unit) << text();
      }
    }
  }
}

}  // namespace
}  // namespace kb::tests
