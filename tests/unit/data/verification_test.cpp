// Comparison with a reference (P-91), reference products and reproducible contents.
#include "platform/data/verification.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "platform/data/reference.h"
#include "platform/data/running_error.h"
#include "tests/unit/data/support.h"

namespace kb::data {
namespace {

using test::expect_error;
using test::kInfinity;
using test::kNan;

VerificationRow one(Dtype dtype, double actual, double expected, const ErrorBound& bound = {}) {
  return compare("t", dtype, {1}, from_doubles(dtype, {actual}), std::vector<double>{expected}, bound);
}

ErrorBound off_by(std::size_t count, double error) {
  ErrorBound bound;
  bound.errors.assign(count, error);
  bound.roundings = {"a step"};
  return bound;
}

ErrorBound off_by(double error) {
  return off_by(1, error);
}

// Without a bound every element is the once-rounded expected value.
TEST(Verification, WhatHasNoErrorMustBeEqual) {
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32}) {
    const double step = 2 * unit_roundoff(dtype);
    EXPECT_TRUE(one(dtype, 1.0, 1.0).ok);
    EXPECT_TRUE(one(dtype, 1.0, 1.0 + 0.49 * step).ok);
    EXPECT_FALSE(one(dtype, 1.0, 1.0 + 0.51 * step).ok);
    EXPECT_FALSE(one(dtype, 1.0 + step, 1.0).ok);
    EXPECT_EQ(one(dtype, 1.0, 1.0 + 0.49 * step).max_abs, 0);
    EXPECT_EQ(one(dtype, 1.0, 1.0).bound, "equal");
    EXPECT_TRUE(one(dtype, 1.0, 1.0).equal);
  }
}

TEST(Verification, RowsReportWhatWasFound) {
  ErrorBound bound;
  bound.errors = {0, 0x1p-4, 0, 0x1p-4};
  bound.roundings = {"a step", "another one"};
  const auto row = compare("out", Dtype::f32, {2, 2}, from_doubles(Dtype::f32, {1, 2 + 0x1p-5, 3.5, 8}),
                           std::vector<double>{1, 2, 3, 4}, bound);
  EXPECT_FALSE(row.ok);
  EXPECT_FALSE(row.equal);
  EXPECT_EQ(row.max_abs, 4.0);
  EXPECT_EQ(row.max_rel, 1.0);
  EXPECT_EQ(row.failures, 2u);
  EXPECT_EQ(row.first_failure, 2u);
  EXPECT_EQ(row.max_of_bound, std::numeric_limits<double>::infinity());  // 3.5 had to be 3
  const std::string table = render_table({row});
  EXPECT_THAT(table, ::testing::HasSubstr("2 of 4 elements are wrong; the first at (1, 0): 3.5 instead of 3"));
  EXPECT_THAT(table, ::testing::HasSubstr("WRONG"));
  EXPECT_THAT(table,
              ::testing::HasSubstr("|err| <= u(f32) |expected| + roundings in 2 of 4 elements, the others are equal"));
  EXPECT_THAT(table, ::testing::HasSubstr("+ a step\n"));
  EXPECT_THAT(table, ::testing::HasSubstr("+ another one\n"));
  EXPECT_FALSE(all_ok({row}));
  EXPECT_EQ(place_in({2, 3, 4}, 17), (Shape{1, 1, 1}));
}

// |actual - expected| <= error + u (|expected| + error), and half of the smallest number.
TEST(Verification, TheBoundIsThatOfTheLastRoundingAndTheError) {
  const double error = 0x1p-7, allowed = error + 0x1p-11 * (1 + error) + 0x1p-25;
  const double step = 0x1p-10;
  EXPECT_TRUE(one(Dtype::f16, 1.0 + 8 * step, 1.0, off_by(error)).ok);
  EXPECT_FALSE(one(Dtype::f16, 1.0 + 9 * step, 1.0, off_by(error)).ok);
  const auto row = one(Dtype::f16, 1.0 + 4 * step, 1.0, off_by(error));
  EXPECT_EQ(row.tolerance, allowed);
  EXPECT_DOUBLE_EQ(row.max_of_bound, 4 * step / allowed);
  EXPECT_EQ(row.bound, "|err| <= u(f16) |expected| + roundings");
  EXPECT_EQ(row.roundings, std::vector<std::string>{"a step"});
}

TEST(Verification, SpecialValuesMustAgree) {
  const double nan = std::nan("");
  EXPECT_TRUE(one(Dtype::f16, HUGE_VAL, 70000.0).ok);  // rounds to infinity
  EXPECT_FALSE(one(Dtype::f16, HUGE_VAL, 65504.0).ok);
  EXPECT_FALSE(one(Dtype::f16, 65504.0, HUGE_VAL).ok);
  EXPECT_FALSE(one(Dtype::f32, -HUGE_VAL, HUGE_VAL).ok);
  EXPECT_TRUE(one(Dtype::f32, nan, nan).ok);
  EXPECT_FALSE(one(Dtype::f32, nan, 1.0).ok);
  EXPECT_FALSE(one(Dtype::f32, 1.0, nan).ok);
}

RowStatus status(Dtype dtype, double actual, double expected, double error) {
  return one(dtype, actual, expected, off_by(error)).status();
}

// Whatever the error is: that of an expected NaN is NaN where it is relative.
TEST(Verification, ANaNOrAnInfinityThatIsExpectedMustBeThere) {
  for (const double error : {0.0, 1.0, kInfinity, kNan}) {
    for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::e5m2}) {
      for (const double expected : {kNan, kInfinity, -kInfinity}) {
        for (const double actual : {1.0, kNan, kInfinity, -kInfinity}) {
          const bool same = actual == expected || (std::isnan(actual) && std::isnan(expected));
          EXPECT_EQ(status(dtype, actual, expected, error), same ? RowStatus::ok : RowStatus::wrong)
              << dtype_name(dtype) << " " << actual << " for " << expected << " with error " << error;
        }
      }
    }
  }
  const auto row = compare("t", Dtype::f32, {4}, from_doubles(Dtype::f32, {1, 2, 3, 4}),
                           std::vector<double>{1, kNan, 3, -kInfinity}, off_by(4, kNan));
  EXPECT_EQ(row.failures, 2u);
  EXPECT_EQ(row.first_failure, 1u);
  EXPECT_TRUE(std::isnan(row.first_expected));
  EXPECT_EQ(row.unverified, 2u);  // 1 and 3, which have no bound either
}

// 65520 is the smallest number that f16 rounds to infinity.
TEST(Verification, AnInfinityIsRightWhenAnEndRoundsToIt) {
  EXPECT_EQ(status(Dtype::f16, kInfinity, 65515, 10), RowStatus::ok);
  EXPECT_EQ(status(Dtype::f16, -kInfinity, -65515, 10), RowStatus::ok);
  EXPECT_EQ(status(Dtype::f16, -kInfinity, 65515, 10), RowStatus::wrong);
  EXPECT_EQ(status(Dtype::f16, kInfinity, 65515, 4), RowStatus::wrong);
  EXPECT_EQ(status(Dtype::f16, kInfinity, 65515, 5), RowStatus::ok);
  EXPECT_EQ(status(Dtype::f16, 65504, 65515, 10), RowStatus::ok);
  EXPECT_EQ(status(Dtype::f16, kInfinity, 65525, 5), RowStatus::ok);
  EXPECT_EQ(status(Dtype::f16, 65504, 65525, 5), RowStatus::wrong);  // off by 21, but every number there is infinite
  EXPECT_EQ(status(Dtype::f16, 65504, 65525, 6), RowStatus::ok);
  EXPECT_EQ(status(Dtype::f16, kNan, 65515, 10), RowStatus::wrong);
  EXPECT_EQ(status(Dtype::f16, kInfinity, 0, 70000), RowStatus::ok);
  EXPECT_EQ(status(Dtype::f16, -kInfinity, 0, 70000), RowStatus::ok);
  EXPECT_EQ(one(Dtype::f16, kInfinity, 65515, off_by(10)).non_finite, 1u);
}

// e4m3 ends at 448 and makes NaN of what would round to 480; e5m2 ends at 57344.
TEST(Verification, NumbersThatEightBitsCannotHold) {
  EXPECT_EQ(status(Dtype::e4m3, kNan, 500, 0), RowStatus::ok);
  EXPECT_EQ(status(Dtype::e4m3, 448, 500, 0), RowStatus::wrong);
  EXPECT_EQ(status(Dtype::e4m3, kNan, 460, 10), RowStatus::ok);
  EXPECT_EQ(status(Dtype::e4m3, kNan, 460, 1), RowStatus::wrong);
  EXPECT_EQ(status(Dtype::e4m3, kNan, kInfinity, 0), RowStatus::ok);
  EXPECT_EQ(status(Dtype::e4m3, 448, kInfinity, 0), RowStatus::wrong);
  EXPECT_EQ(status(Dtype::e5m2, kInfinity, 70000, 0), RowStatus::ok);
  EXPECT_EQ(status(Dtype::e5m2, kNan, 70000, 0), RowStatus::wrong);
  EXPECT_EQ(status(Dtype::e5m2, -kInfinity, -57344, 5000), RowStatus::ok);
}

// The row is not verified: the values are neither right nor wrong.
TEST(Verification, AnErrorThatIsNotKnownIsNotVerified) {
  for (const double error : {kInfinity, kNan}) {
    for (const double actual : {1.0, 2.0, kInfinity, -kInfinity}) {
      const auto row = one(Dtype::f16, actual, 2.0, off_by(error));
      EXPECT_EQ(row.status(), RowStatus::not_verified) << actual;
      EXPECT_FALSE(row.ok);
      EXPECT_EQ(row.unverified, 1u);
      EXPECT_EQ(row.failures, 0u);
      EXPECT_EQ(row.non_finite, 0u);
      EXPECT_FALSE(all_ok({row}));
      EXPECT_THAT(render_table({row}), ::testing::HasSubstr("NOT VERIFIED"));
      EXPECT_THAT(render_table({row}), ::testing::HasSubstr("1 of 1 elements are not verified, the error has no bound; "
                                                            "the first at (0)"));
    }
    EXPECT_EQ(status(Dtype::f16, kNan, 2.0, error), RowStatus::wrong);
  }
  // One wrong element is enough.
  EXPECT_EQ(compare("t", Dtype::f16, {2}, from_doubles(Dtype::f16, {1, 5}), std::vector<double>{1, 2},
                    {{kInfinity, 0}, {}, ""})
                .status(),
            RowStatus::wrong);
  EXPECT_EQ(status(Dtype::f16, 2.0, 2.0, -1), RowStatus::wrong);
}

TEST(Verification, NothingComparedIsNotVerified) {
  EXPECT_EQ(compare("t", Dtype::f16, {0, 4}, {}, std::vector<double>{}).status(), RowStatus::not_verified);
  EXPECT_EQ(compare("t", Dtype::i32, {4, 0}, {}, std::vector<std::int64_t>{}).status(), RowStatus::not_verified);
  EXPECT_THAT(render_table({compare("t", Dtype::f16, {0}, {}, std::vector<double>{})}),
              ::testing::HasSubstr("note: it has no elements"));
}

// Equal, but nothing is shown by it: they are counted and a sentence names them.
TEST(Verification, PairsThatAreNoNumbersAreCounted) {
  const double nan = std::nan("");
  EXPECT_EQ(one(Dtype::f32, nan, nan).non_finite, 1u);
  EXPECT_EQ(one(Dtype::f16, HUGE_VAL, 70000.0).non_finite, 1u);
  EXPECT_EQ(one(Dtype::f32, nan, 1.0).non_finite, 0u);  // wrong
  EXPECT_EQ(one(Dtype::f32, 2.0, 2.0).non_finite, 0u);
  EXPECT_THAT(non_finite_warnings({one(Dtype::f32, 2.0, 2.0), one(Dtype::f32, nan, nan)}),
              ::testing::ElementsAre(::testing::HasSubstr("1 of 1 elements are NaN or infinite")));
}

TEST(Verification, IntegersMustBeEqual) {
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  const auto bytes = from_integers(Dtype::i64, {large, 5});
  EXPECT_TRUE(compare("i", Dtype::i64, {2}, bytes, std::vector<std::int64_t>{large, 5}).ok);
  const auto row = compare("i", Dtype::i64, {2}, bytes, std::vector<std::int64_t>{large - 1, 5});
  EXPECT_FALSE(row.ok);  // a difference that doubles cannot show
  EXPECT_EQ(row.failures, 1u);
  EXPECT_EQ(row.bound, "equal");
  expect_error(
      [&] {
        compare("i", Dtype::i64, {2}, bytes, std::vector<double>{1, 5});
      },
      ErrorFamily::program, "DTYPE_ERROR", {"i64"});
}

TEST(Verification, SizesMustAgree) {
  expect_error(
      [] {
        compare("t", Dtype::f16, {2, 2}, std::vector<std::byte>(8), std::vector<double>(3));
      },
      ErrorFamily::program, "SHAPE_ERROR", {"verification of t", "(2, 2)", "3 expected"});
}

TEST(Reference, ProductsOfDoublesAndIntegers) {
  const auto r = reference_gemm(std::vector<double>{1, -2, 3, 4}, std::vector<double>{5, 6, 7, -8}, 2, 2, 2);
  EXPECT_EQ(r.values, (std::vector<double>{-9, 22, 43, -14}));
  EXPECT_EQ(r.sum_abs_terms, (std::vector<double>{19, 22, 43, 50}));
  using I = std::vector<std::int64_t>;
  EXPECT_EQ(reference_gemm(I{1, -2, 3, 4}, I{5, 6, 7, -8}, 2, 2, 2), (I{-9, 22, 43, -14}));
  EXPECT_EQ(reference_gemm(I{std::int64_t{1} << 62}, I{4}, 1, 1, 1), I{0});
  const std::size_t k = 150;  // more than one block
  const auto long_sum = reference_gemm(std::vector<double>(k, 2.0), std::vector<double>(k, -3.0), 1, k, 1);
  EXPECT_EQ(long_sum.values[0], -900.0);
  EXPECT_EQ(long_sum.sum_abs_terms[0], 900.0);
}

TEST(Random, StreamsAreReproducibleAndIndexable) {
  // First values of splitmix64 with seed 0, as published.
  EXPECT_EQ(random_bits(0, 0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(random_bits(0, 1), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(random_bits(0, 2), 0x06c45d188009454fu);
  const auto small = random_small_integers(3, 1000);
  EXPECT_THAT(small, ::testing::Each(::testing::AllOf(::testing::Ge(-8.0), ::testing::Le(8.0))));
  EXPECT_THAT(small, ::testing::Contains(-8.0));
  EXPECT_THAT(small, ::testing::Contains(8.0));
  EXPECT_NE(small, random_small_integers(4, 1000));
  EXPECT_THAT(random_uniform(3, 1000, -2, 3),
              ::testing::Each(::testing::AllOf(::testing::Ge(-2.0), ::testing::Lt(3.0))));
}

TEST(Elements, BulkConversionsRoundTrip) {
  for (Dtype dtype : test::kAllDtypes) {
    const auto values = random_small_integers(1, 100);
    EXPECT_EQ(to_doubles(dtype, from_doubles(dtype, values)), values) << dtype_name(dtype);
  }
  const std::vector<std::int64_t> wide{-1, 127, 128, 65536 + 5};
  EXPECT_EQ(to_integers(Dtype::i8, from_integers(Dtype::i8, wide)), (std::vector<std::int64_t>{-1, 127, -128, 5}));
  EXPECT_EQ(to_doubles(Dtype::f16, from_integers(Dtype::f16, {2049, -3})), (std::vector<double>{2048, -3}));
  expect_error([] { to_integers(Dtype::f16, std::vector<std::byte>(2)); }, ErrorFamily::model, "MODEL_ERROR", {"f16"});
}

}  // namespace
}  // namespace kb::data
