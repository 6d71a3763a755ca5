// Comparison with a reference (P-91), reference products and reproducible contents.
#include "platform/data/verification.h"

#include <gmock/gmock.h>

#include <cmath>

#include "platform/data/reference.h"
#include "tests/unit/data/support.h"

namespace kb::data {
namespace {

using test::expect_error;

VerificationRow one(Dtype dtype, double actual, double expected, const ErrorBound& bound = {}) {
  return compare("t", dtype, {1}, from_doubles(dtype, {actual}), std::vector<double>{expected}, bound);
}

TEST(Verification, UsesTheTolerancesOfP91) {
  const struct {
    Dtype dtype;
    double tolerance;
  } rows[] = {{Dtype::f32, 1e-5}, {Dtype::f16, 1e-3}, {Dtype::bf16, 1e-2}};
  for (const auto& r : rows) {
    EXPECT_EQ(p91_tolerance(r.dtype), r.tolerance);
    EXPECT_TRUE(one(r.dtype, 4.0, 4.0 - 4.9 * r.tolerance).ok);
    EXPECT_TRUE(one(r.dtype, 4.0, 4.0 + 4.9 * r.tolerance).ok);
    EXPECT_FALSE(one(r.dtype, 4.0, 4.0 - 5.1 * r.tolerance).ok);
    EXPECT_TRUE(one(r.dtype, 0.0, 0.9 * r.tolerance).ok);
    EXPECT_FALSE(one(r.dtype, 0.0, 1.1 * r.tolerance).ok);
  }
}

TEST(Verification, RowsReportWhatWasFound) {
  const auto row =
      compare("out", Dtype::f32, {2, 2}, from_doubles(Dtype::f32, {1, 2, 3.5, 8}), std::vector<double>{1, 2, 3, 4});
  EXPECT_FALSE(row.ok);
  EXPECT_EQ(row.max_abs, 4.0);
  EXPECT_EQ(row.max_rel, 1.0);
  EXPECT_EQ(row.failures, 2u);
  EXPECT_EQ(row.first_failure, 2u);
  EXPECT_DOUBLE_EQ(row.tolerance, 5e-5);
  EXPECT_DOUBLE_EQ(row.worst, 4.0 / 5e-5);
  const std::string table = render_table({row});
  EXPECT_THAT(table, ::testing::HasSubstr("2 of 4 elements are wrong; the first at (1, 0): 3.5 instead of 3"));
  EXPECT_THAT(table, ::testing::HasSubstr("WRONG"));
  EXPECT_THAT(table, ::testing::HasSubstr("|err| <= 1e-05 + 1e-05 * |expected| (P-91)"));
  EXPECT_FALSE(all_ok({row}));
}

TEST(Verification, TheRoundingsBoundIsExact) {
  ErrorBound bound;
  bound.sum_abs_terms = {8.0};
  bound.roundings = 1;  // allowed: 2 * 2^-11 * 8 = 2^-7, and 2 * 2^-25 for subnormals
  const double allowed = 0x1p-7 + 0x1p-24;
  EXPECT_TRUE(one(Dtype::f16, 1.0, 1.0 + allowed, bound).ok);
  EXPECT_FALSE(one(Dtype::f16, 1.0, 1.0 + allowed + 0x1p-40, bound).ok);
  EXPECT_EQ(one(Dtype::f16, 1.0, 1.0, bound).tolerance, allowed);
  bound.acc_roundings = 16;
  EXPECT_EQ(one(Dtype::f16, 1.0, 1.0, bound).tolerance, allowed + 16 * 0x1p-24 * 8);
  EXPECT_EQ(one(Dtype::f16, 1.0, 1.0, bound).bound, "|err| <= (2 u(f16) + 16 u(f32)) * sum|terms|");
  bound.sum_abs_terms = {0.0};  // nothing was summed: exactly zero
  EXPECT_TRUE(one(Dtype::f16, 0.0, 0.0, bound).ok);
  EXPECT_FALSE(one(Dtype::f16, 0x1p-24, 0.0, bound).ok);
}

TEST(Verification, ExactMeansEqual) {
  ErrorBound bound;
  bound.exact = true;
  EXPECT_TRUE(one(Dtype::f32, 1.5, 1.5, bound).ok);
  const auto row = one(Dtype::f32, 1.5, 1.5 + 0x1p-23, bound);
  EXPECT_FALSE(row.ok);
  EXPECT_EQ(row.bound, "equal");
  EXPECT_EQ(row.tolerance, 0.0);
}

TEST(Verification, ALooserBoundSaysWhy) {
  ErrorBound bound;
  bound.sum_abs_terms = {100.0};
  const auto loose = one(Dtype::f16, 0.01, 0.0, bound);
  EXPECT_TRUE(loose.ok);
  EXPECT_THAT(loose.note,
              ::testing::HasSubstr("on 1 of 1 elements wider than the default 0.001 + 0.001 * |expected| (P-91)"));
  EXPECT_THAT(render_table({loose}), ::testing::HasSubstr("note: on 1 of 1 elements wider"));
  bound.sum_abs_terms = {1.0};
  EXPECT_EQ(one(Dtype::f16, 1.0, 1.0, bound).note, "");
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
