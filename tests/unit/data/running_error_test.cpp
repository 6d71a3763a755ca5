// Running error analysis: bounds hold for what f32 and the storage types really do, and values that are exact stay so.
#include "platform/data/running_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "platform/data/element.h"
#include "tests/unit/data/support.h"

namespace kb::data {
namespace {

using test::kInfinity;
using test::kNan;

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

// {NaN}, {inf}, {-inf}, or what is unknown.
std::string kind_of(Bounded x) {
  if (x.error != 0) return std::isfinite(x.error) ? "bounded" : "unknown";
  return std::isnan(x.value) ? "NaN" : !std::isinf(x.value) ? "exact" : x.value > 0 ? "inf" : "-inf";
}

// They go through as through the machine's operations; what depends on where in its interval an operand lies is
// unknown.
TEST(RunningError, NaNsAndInfinitiesGoThroughOperations) {
  const Bounded nan{kNan, 0}, inf{kInfinity, 0}, minus{-kInfinity, 0}, two{2, 0.25}, around{0.125, 0.25},
      open = unknown(3);
  for (const Bounded& other : {nan, inf, two, around, open}) {
    for (auto* operation : {add, subtract, multiply, divide, maximum, minimum}) {
      EXPECT_EQ(kind_of(operation(nan, other)), "NaN");
      EXPECT_EQ(kind_of(operation(other, nan)), "NaN");
    }
    EXPECT_EQ(kind_of(multiply_add(other, two, nan)), "NaN");
    EXPECT_EQ(kind_of(multiply_add(nan, other, two)), "NaN");
  }
  EXPECT_EQ(kind_of(add(inf, two)), "inf");
  EXPECT_EQ(kind_of(add(inf, minus)), "NaN");
  EXPECT_EQ(kind_of(subtract(inf, inf)), "NaN");
  EXPECT_EQ(kind_of(add(inf, open)), "unknown");
  EXPECT_EQ(kind_of(multiply(minus, two)), "-inf");
  EXPECT_EQ(kind_of(multiply(inf, around)), "unknown");
  EXPECT_EQ(kind_of(multiply(inf, {0, 0})), "NaN");
  EXPECT_EQ(kind_of(divide(inf, two)), "inf");
  EXPECT_EQ(kind_of(divide(two, minus)), "exact");
  EXPECT_EQ(kind_of(divide(two, {0, 0})), "inf");
  EXPECT_EQ(kind_of(divide({0, 0}, {0, 0})), "NaN");
  EXPECT_EQ(kind_of(divide(around, {0, 0})), "unknown");
  EXPECT_EQ(kind_of(divide(two, around)), "unknown");
  EXPECT_EQ(kind_of(multiply_add(two, two, minus)), "-inf");
  EXPECT_EQ(kind_of(multiply_add({1e30, 0}, {1e30, 0}, minus)), "-inf");  // the product alone is no f32 number
  EXPECT_EQ(kind_of(multiply_add(inf, two, two)), "inf");
  EXPECT_EQ(kind_of(maximum(inf, two)), "inf");
  EXPECT_EQ(kind_of(maximum(minus, two)), "bounded");
  EXPECT_EQ(maximum(minus, two).value, 2);
  EXPECT_EQ(kind_of(minimum(minus, open)), "unknown");
  EXPECT_EQ(kind_of(exponential(inf)), "inf");
  EXPECT_EQ(kind_of(exponential({1000, 0})), "inf");
  EXPECT_EQ(exponential(minus).value, 0);
  EXPECT_EQ(logistic(inf).value, 1);
  EXPECT_EQ(kind_of(logistic(nan)), "NaN");
  EXPECT_EQ(kind_of(square_root(inf)), "inf");
  EXPECT_EQ(kind_of(square_root({-1, 0})), "NaN");
  EXPECT_EQ(kind_of(square_root(open)), "unknown");
  EXPECT_EQ(kind_of(rounded(Dtype::f16, {70000, 10})), "inf");
  EXPECT_EQ(kind_of(rounded(Dtype::f16, {65519, 10})), "unknown");
  EXPECT_EQ(kind_of(rounded(Dtype::f16, {2, kNan})), "unknown");
  EXPECT_EQ(kind_of(rounded(Dtype::f16, {kInfinity, 3})), "inf");
}

TEST(RunningError, NaNsAndInfinitiesGoThroughProducts) {
  const auto sum = [](const BoundedMatrix& x, std::vector<double> w) {
    const std::size_t rows = w.size();
    return kind_of(product(x, exact_matrix(rows, 1, std::move(w))).at(0));
  };
  EXPECT_EQ(sum(exact_matrix(1, 2, {kNan, 1}), {0, 1}), "NaN");
  EXPECT_EQ(sum(exact_matrix(1, 2, {kInfinity, 1}), {2, 1}), "inf");
  EXPECT_EQ(sum(exact_matrix(1, 2, {kInfinity, 1}), {-2, 1}), "-inf");
  EXPECT_EQ(sum(exact_matrix(1, 2, {kInfinity, 1}), {0, 1}), "NaN");
  EXPECT_EQ(sum(exact_matrix(1, 2, {kInfinity, kInfinity}), {1, -1}), "NaN");
  BoundedMatrix x = exact_matrix(1, 2, {0.125, 1});
  x.errors = {0.25, 0};
  EXPECT_EQ(sum(x, {kInfinity, 1}), "unknown");
  x.errors = {0.0625, 0};
  EXPECT_EQ(sum(x, {kInfinity, 1}), "inf");
  x.errors = {kInfinity, 0};
  EXPECT_EQ(sum(x, {1, 1}), "unknown");
  EXPECT_EQ(sum(x, {1, kNan}), "NaN");
}

// A partial sum may be too large for f32 although the sum is not, which depends on the order.
TEST(RunningError, ProductsThatAreTooLargeForF32) {
  const auto sum = [](std::vector<double> x) {
    return kind_of(
        product(exact_matrix(1, x.size(), x), exact_matrix(x.size(), 1, std::vector<double>(x.size(), 1))).at(0));
  };
  EXPECT_EQ(sum({0x1p127, 0x1p127, 0x1p127}), "inf");
  EXPECT_EQ(sum({-0x1p127, -0x1p127, -0x1p127}), "-inf");
  EXPECT_EQ(sum({0x1p127, 0x1p127, -0x1p127}), "unknown");
  EXPECT_EQ(sum({0x1p126, 0x1p126, -0x1p126}), "exact");
  EXPECT_FALSE(sums_exactly(Dtype::f32, 0x1p128, 120));
  EXPECT_FALSE(sums_exactly(Dtype::bf16, 0x1p128, 125));
}

// Its bound has no limit on the number of terms, where gamma has.
TEST(RunningError, SumsOfManyTermsHaveABound) {
  const double u = unit_roundoff(Dtype::bf16);
  EXPECT_EQ(sum_growth(100, u), gamma(100, u));
  EXPECT_DOUBLE_EQ(sum_growth(384, u), std::pow(1 + u, 384) - 1);
}

TEST(RunningError, TheLowestBit) {
  EXPECT_LT(lowest_bit(kNan), -1000);
  EXPECT_LT(lowest_bit(kInfinity), -1000);
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
