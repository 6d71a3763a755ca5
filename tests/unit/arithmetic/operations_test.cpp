// add, sub, mul, div, fma, sqrt, maximum and minimum of every dtype, bit for bit against exact numbers (P-90).
#include <cmath>
#include <functional>

#include "platform/base/error.h"
#include "tests/unit/arithmetic/machine.h"

namespace kb::tests {
namespace {

__extension__ typedef __int128 Wide;

struct Operation {
  MathOp op;
  std::function<std::uint32_t(const SoftFloat&, std::uint32_t, std::uint32_t, std::uint32_t)> real;
  std::function<Wide(Wide, Wide, Wide)> whole;  // null: floats only
};

const std::vector<Operation>& operations() {
  using S = const SoftFloat&;
  using U = std::uint32_t;
  static const std::vector<Operation> all{
      {MathOp::add, [](S s, U a, U b, U) { return s.add(a, b); }, [](Wide a, Wide b, Wide) { return a + b; }},
      {MathOp::sub, [](S s, U a, U b, U) { return s.sub(a, b); }, [](Wide a, Wide b, Wide) { return a - b; }},
      {MathOp::mul, [](S s, U a, U b, U) { return s.mul(a, b); }, [](Wide a, Wide b, Wide) { return a * b; }},
      {MathOp::div, [](S s, U a, U b, U) { return s.div(a, b); }, [](Wide a, Wide b, Wide) { return a / b; }},
      {MathOp::fma, [](S s, U a, U b, U c) { return s.fma(a, b, c); },
       [](Wide a, Wide b, Wide c) {  // in steps that a Wide holds
         return static_cast<Wide>(static_cast<std::uint64_t>(a * b)) + c;
       }},
      {MathOp::sqrt, [](S s, U a, U, U) { return s.sqrt(a); }, nullptr},
      {MathOp::maximum, [](S s, U a, U b, U) { return s.maximum(a, b); },
       [](Wide a, Wide b, Wide) { return a > b ? a : b; }},
      {MathOp::minimum, [](S s, U a, U b, U) { return s.minimum(a, b); },
       [](Wide a, Wide b, Wide) { return a < b ? a : b; }},
  };
  return all;
}

TEST(Arithmetic, FloatOperationsRoundOnce) {
  for (const Dtype dtype : kFloats) {
    const SoftFloat soft(dtype);
    for (const Operation& one : operations()) {
      const auto arity = static_cast<std::size_t>(math_arity(one.op));
      const std::vector<Encodings> in = operands(dtype, arity, 1000 + static_cast<std::uint64_t>(one.op));
      Machine machine;
      const Encodings got = machine.run(one.op, dtype, dtype, in);
      const auto input = [&](std::size_t which, std::size_t i) {
        return which < arity ? static_cast<std::uint32_t>(in[which][i]) : 0u;
      };
      for (std::size_t i = 0; i < got.size(); ++i) {
        const std::uint32_t want = one.real(soft, input(0, i), input(1, i), input(2, i));
        ASSERT_EQ(got[i], want) << math_op_name(one.op) << " " << dtype_name(dtype) << " of " << hex(input(0, i)) << " "
                                << hex(input(1, i)) << " " << hex(input(2, i)) << ": " << hex(got[i]) << ", not "
                                << hex(want);
      }
    }
  }
}

// Products in the middle of two neighbours, and third operands that decide although f32 has no digits for them.
TEST(Arithmetic, FmasBesideAMiddleRoundOnce) {
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16}) {
    const SoftFloat soft(dtype);
    const std::uint32_t one = soft.nearest(Dyadic{false, 1, 0}), two = soft.nearest(Dyadic{false, 1, 1});
    std::vector<Encodings> in(3);
    for (std::uint32_t a = one; a < two && in[0].size() < cases(); a += 3) {
      for (std::uint32_t b = one; b < two; ++b) {
        const Dyadic exact = product(soft.value(a), soft.value(b)), rounded = soft.value(soft.mul(a, b));
        const double lost = std::ldexp(static_cast<double>(exact.mantissa), exact.exponent) -
                            std::ldexp(static_cast<double>(rounded.mantissa), rounded.exponent);
        if (std::fabs(lost) * 2 != soft.unit_in_last_place(soft.as_double(soft.mul(a, b)))) continue;
        for (const std::uint32_t small : {1u, 2u, one / 8, one / 4}) {
          for (const std::uint32_t sign : {0u, soft.sign_bit()}) {
            in[0].push_back(a);
            in[1].push_back(b | sign);
            in[2].push_back(small | (small % 2 == 0 ? sign : soft.sign_bit() ^ sign));
          }
        }
      }
    }
    ASSERT_GT(in[0].size(), 100u);
    Machine machine;
    const Encodings got = machine.run(MathOp::fma, dtype, dtype, in);
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i], soft.fma(static_cast<std::uint32_t>(in[0][i]), static_cast<std::uint32_t>(in[1][i]),
                                 static_cast<std::uint32_t>(in[2][i])))
          << dtype_name(dtype) << " of " << hex(in[0][i]) << " " << hex(in[1][i]) << " " << hex(in[2][i]);
    }
  }
}

TEST(Arithmetic, IntegerOperationsWrap) {
  for (const Dtype dtype : kIntegers) {
    for (const Operation& one : operations()) {
      if (!one.whole) continue;
      const auto arity = static_cast<std::size_t>(math_arity(one.op));
      std::vector<Encodings> in = operands(dtype, arity, 2000 + static_cast<std::uint64_t>(one.op));
      if (one.op == MathOp::div) {
        for (std::uint64_t& divisor : in[1]) divisor = divisor == 0 ? 1 : divisor;
      }
      Machine machine;
      const Encodings got = machine.run(one.op, dtype, dtype, in);
      const auto input = [&](std::size_t which, std::size_t i) {
        return which < arity ? signed_value(dtype, in[which][i]) : 0;
      };
      for (std::size_t i = 0; i < got.size(); ++i) {
        const Wide exact = one.whole(input(0, i), input(1, i), input(2, i));
        ASSERT_EQ(got[i], low_bits_of(dtype, static_cast<std::uint64_t>(exact)))
            << math_op_name(one.op) << " " << dtype_name(dtype) << " of " << input(0, i) << " " << input(1, i) << " "
            << input(2, i);
      }
    }
  }
}

// A product of f16 or bf16 numbers has 22 or 16 digits; with the third number far from it, f32 loses which side of a
// middle the sum is on.
TEST(Arithmetic, AnFmaOfHalvesIsNotRoundedToF32First) {
  Machine machine;
  const Encodings half = machine.run(MathOp::fma, Dtype::f16, Dtype::f16, {{0x3c01}, {0x3c01}, {0x0001}});
  EXPECT_EQ(half[0], SoftFloat(Dtype::f16).fma(0x3c01, 0x3c01, 0x0001));
  // bf16: 1.5 x (1 + 2^-7) = 1.51171875 is a middle; so small a number decides.
  const Encodings brain =
      machine.run(MathOp::fma, Dtype::bf16, Dtype::bf16, {{0x3fc0, 0x3fc0}, {0x3f81, 0x3f81}, {0x0080, 0x8080}});
  EXPECT_EQ(brain, (Encodings{0x3fc2, 0x3fc1}));
}

TEST(Arithmetic, MaximumAndMinimumTellZerosApart) {
  for (const Dtype dtype : kFloats) {
    const SoftFloat soft(dtype);
    const std::uint64_t plus = 0, minus = soft.sign_bit();
    Machine machine;
    const Encodings a{plus, minus, plus, minus}, b{minus, plus, plus, minus};
    EXPECT_EQ(machine.run(MathOp::maximum, dtype, dtype, {a, b}), (Encodings{plus, plus, plus, minus}));
    EXPECT_EQ(machine.run(MathOp::minimum, dtype, dtype, {a, b}), (Encodings{minus, minus, plus, minus}));
    EXPECT_EQ(machine.run(MathOp::relu, dtype, dtype, {a}), (Encodings{plus, plus, plus, plus}));
    const Shape rows{2, 2}, column{2, 1};
    EXPECT_EQ(machine.run(MathOp::max, dtype, dtype, {a}, rows, column, 1), (Encodings{plus, plus}));
    EXPECT_EQ(machine.run(MathOp::min, dtype, dtype, {a}, rows, column, 1), (Encodings{minus, minus}));
  }
}

}  // namespace
}  // namespace kb::tests
