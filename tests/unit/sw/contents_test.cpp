// Contents whose results are exact and show every lost term.
#include "sw/workloads/contents.h"

#include <gmock/gmock.h>

#include <cmath>

#include "platform/data/reference.h"
#include "platform/data/running_error.h"
#include "sw/parallel/initial_values.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

constexpr Dtype kFloats[] = {Dtype::f16, Dtype::bf16, Dtype::f32};

TEST(Contents, WholeNumbersHaveNoZero) {
  const auto values = whole_numbers({40, 50}, Dtype::bf16, 3, 8).to_doubles();
  EXPECT_THAT(values, ::testing::Each(::testing::AllOf(::testing::Ne(0), ::testing::Ge(-8), ::testing::Le(8))));
  EXPECT_THAT(values, ::testing::Contains(8));
  EXPECT_THAT(values, ::testing::Contains(-8));
  EXPECT_NE(values, whole_numbers({40, 50}, Dtype::bf16, 4, 8).to_doubles());
}

// Short and long sums, and those that are too long for the dtype without terms of opposite signs.
TEST(Contents, ProductsAreExactAndFitTheirDtype) {
  for (const Dtype dtype : kFloats) {
    for (const std::int64_t k : {1, 7, 64, 512, 3000, 20'000}) {
      const ProductContents contents(Contents::integers, k, dtype, dtype);
      const HostArray a = contents.left(6, 1), b = contents.right(9, 2);
      EXPECT_THAT(a.to_doubles(), ::testing::Each(::testing::Ne(0)));
      EXPECT_THAT(b.to_doubles(), ::testing::Each(::testing::Ne(0)));
      const data::BoundedMatrix c = data::product(exact_values(a), exact_values(b));
      EXPECT_TRUE(c.exact()) << dtype_name(dtype) << " " << k;
      for (const double value : c.values) {
        EXPECT_EQ(data::nearest(dtype, value + 1), value + 1) << dtype_name(dtype) << " " << k;
      }
    }
  }
}

TEST(Contents, ALostTileOfALongSumIsSeen) {
  const std::int64_t k = 20'000, tile = 64;
  const ProductContents contents(Contents::integers, k, Dtype::bf16, Dtype::bf16);
  const HostArray a = contents.left(1, 5), b = contents.right(4, 6);
  const std::vector<double> x = a.to_doubles(), w = b.to_doubles();
  for (std::int64_t first = 0; first + tile <= k; first += 997) {
    double seen = 0;
    for (std::int64_t j = 0; j < 4; ++j) {
      double lost = 0;
      for (std::int64_t p = first; p < first + tile; ++p) {
        lost += x[static_cast<std::size_t>(p)] * w[static_cast<std::size_t>(p * 4 + j)];
      }
      seen += std::fabs(lost);
    }
    EXPECT_GT(seen, 0) << "terms from " << first << " on";
  }
}

TEST(Contents, EveryRowOfSignsCountsInSomeColumn) {
  for (const auto& [in, out] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{8, 3}, {64, 5}, {100, 7}, {512, 64}}) {
    const auto values = sparse_signs(in, out, Dtype::f16, 1).to_doubles();
    for (std::int64_t row = 0; row < in; ++row) {
      double sum = 0;
      for (std::int64_t j = 0; j < out; ++j) sum += std::fabs(values[static_cast<std::size_t>(row * out + j)]);
      EXPECT_GE(sum, 1) << "row " << row << " of " << in << " x " << out;
    }
    for (std::int64_t j = 0; j < out; ++j) {
      double sum = 0;
      for (std::int64_t row = 0; row < in; ++row) sum += std::fabs(values[static_cast<std::size_t>(row * out + j)]);
      EXPECT_GE(sum, 1) << "column " << j << " of " << in << " x " << out;
    }
  }
}

TEST(Contents, RowsOfSignsAreBalanced) {
  for (const Dtype dtype : kFloats) {
    const auto values = balanced_signs({5, 32}, dtype, 9).to_doubles();
    for (std::size_t row = 0; row < 5; ++row) {
      double sum = 0;
      for (std::size_t i = 0; i < 32; ++i) sum += values[row * 32 + i];
      EXPECT_EQ(sum, 0);
    }
  }
}

}  // namespace
}  // namespace kb::sw
