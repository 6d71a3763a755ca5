// Running error analysis: bounds hold for what f32 and the storage types really do, and values that are exact stay so.
#include "platform/data/running_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "platform/data/element.h"

namespace kb::data {
namespace {

TEST(RunningError, GammaAndUnitRoundoffAreThoseOfTheBook) {
  EXPECT_EQ(unit_roundoff(Dtype::f16), 0x1p-11);
  EXPECT_EQ(unit_roundoff(Dtype::bf16), 0x1p-8);
  EXPECT_EQ(unit_roundoff(Dtype::f32), 0x1p-24);
  EXPECT_EQ(unit_roundoff(Dtype::i8), 0);
  EXPECT_DOUBLE_EQ(gamma(512, 0x1p-24), 512 * 0x1p-24 / (1 - 512 * 0x1p-24));
  EXPECT_TRUE(std::isinf(gamma(256, 0x1p-8)));
}

TEST(RunningError, ARoundingIsExactWhereBothEndsAgree) {
  const double step = 0x1p-10;
  const Bounded inside = rounded(Dtype::f16, {1 + 0.3 * step, 0.1 * step});
  EXPECT_EQ(inside.value, 1);
  EXPECT_EQ(inside.error, 0);
  const Bounded across = rounded(Dtype::f16, {1 + 0.5 * step, 0.1 * step});
  EXPECT_EQ(across.value, 1 + step / 2);
  EXPECT_EQ(across.error, step / 2);
  EXPECT_TRUE(std::isinf(rounded(Dtype::f16, {65519, 10}).error));  // it may overflow
}

// Every operation in f32 on values within their bounds gives a value within the bound of the result.
TEST(RunningError, BoundsContainWhatF32Computes) {
  const auto draw = random_uniform(1, 40'000, -4, 4);
  for (std::size_t i = 0; i + 4 <= draw.size(); i += 4) {
    const Bounded x{draw[i], std::fabs(draw[i + 2]) * 1e-4}, y{draw[i + 1], i % 8 == 0 ? 0 : 1e-5};
    const auto a = static_cast<float>(x.value + x.error * draw[i + 3] / 4.001);
    const auto b = static_cast<float>(y.value + y.error * draw[i + 3] / 4.001);
    // Operands are numbers of f32, which rounding to them moves a little.
    const Bounded bx = rounded(Dtype::f32, x), by = rounded(Dtype::f32, y);
    const auto expect_within = [&](Bounded bound, float value, const char* what) {
      EXPECT_LE(std::fabs(static_cast<double>(value) - bound.value), bound.error) << what << " of " << a << ", " << b;
    };
    expect_within(add(bx, by), a + b, "sum");
    expect_within(subtract(bx, by), a - b, "difference");
    expect_within(multiply(bx, by), a * b, "product");
    expect_within(multiply_add(bx, by, by), std::fma(a, b, b), "fma");
    expect_within(maximum(bx, by), std::max(a, b), "maximum");
    expect_within(exponential(bx), static_cast<float>(std::exp(static_cast<double>(a))), "exp");
    expect_within(logistic(bx), static_cast<float>(1 / (1 + std::exp(-static_cast<double>(a)))), "sigmoid");
    if (std::fabs(by.value) > 0.01) expect_within(divide(bx, by), a / b, "quotient");
    if (bx.value > 0.01) expect_within(square_root(bx), std::sqrt(a), "root");
  }
}

TEST(RunningError, ProductsOfFewBitsAreExactAndOthersAreNot) {
  const BoundedMatrix x = exact_matrix(1, 3, {3, -5, 0.5}), w = exact_matrix(3, 1, {7, 2, 4});
  EXPECT_TRUE(product(x, w).exact());
  EXPECT_EQ(product(x, w).values[0], 13);
  const BoundedMatrix third = exact_matrix(3, 1, {7, 2, static_cast<double>(1.0F / 3)});
  const BoundedMatrix y = product(x, third, 2);
  const double terms = 21 + 10 + static_cast<double>(1.0F / 3) / 2;
  EXPECT_GE(y.errors[0], gamma(5, 0x1p-24) * terms);
  EXPECT_LE(y.errors[0], gamma(5, 0x1p-24) * terms * 1.001);
  // Whole numbers whose sum has more bits than f32.
  EXPECT_FALSE(product(exact_matrix(1, 2, {0x1p13, 1}), exact_matrix(2, 1, {0x1p12, 1})).exact());
  EXPECT_TRUE(sums_exactly(Dtype::f16, 2048, 0));
  EXPECT_FALSE(sums_exactly(Dtype::f16, 2049, 0));
  EXPECT_FALSE(sums_exactly(Dtype::f16, 1, -25));  // below the smallest number
}

TEST(RunningError, ErrorsOfOperandsGoThroughAProduct) {
  BoundedMatrix x = exact_matrix(1, 2, {1, 2});
  x.errors = {0.5, 0};
  const BoundedMatrix y = product(x, exact_matrix(2, 1, {4, 8}));
  EXPECT_GE(y.errors[0], 2);
  EXPECT_LE(y.errors[0], 2.001);
}

TEST(RunningError, TheLowestBit) {
  EXPECT_EQ(lowest_bit(1), 0);
  EXPECT_EQ(lowest_bit(-12), 2);
  EXPECT_EQ(lowest_bit(0.75), -2);
  EXPECT_EQ(lowest_bit(0x1p-149), -149);
  EXPECT_GT(lowest_bit(0), 1000);
}

TEST(RunningError, OrderedSumsFollowTheMachine) {
  std::vector<Bounded> terms;
  float sum = 0;
  for (const double value : random_uniform(3, 500, 0, 1)) {
    terms.push_back({nearest(Dtype::f32, value), 0});
    sum += static_cast<float>(value);
  }
  EXPECT_EQ(ordered_sum(terms).value, static_cast<double>(sum));
  EXPECT_EQ(ordered_sum(terms).error, 0);
}

}  // namespace
}  // namespace kb::data
