#include "sim/study/verify/checks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kb::verify {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const Bounds kBounds{0.5, 0.25, 0.125};

// M-123
TEST(LogitCheck, ComparesTheLargestAndTheRmsDifference) {
  LogitCheck check("logits", "reference");
  check.add({1, 2, 3, 4}, {1, 2, 3, 4}, "first");
  check.add({0, 0, 0, 0}, {0, -0.5, 0, 0.5}, "second");
  std::vector<Check> checks;
  check.finish(kBounds, checks);
  ASSERT_EQ(checks.size(), 2u);
  EXPECT_EQ(checks[0].figure, 0.5);
  EXPECT_EQ(checks[0].where, "second");
  EXPECT_TRUE(checks[0].passed()) << "the bound itself passes";
  EXPECT_EQ(checks[1].figure, 0.25);
  EXPECT_TRUE(checks[1].passed());
}

TEST(LogitCheck, NeverPassesWhatIsNoNumber) {
  LogitCheck check("logits", "reference");
  check.add({kNan, 9}, {0, 0}, "first");
  check.add({0, 0}, {0, 0}, "second");
  std::vector<Check> checks;
  check.finish(kBounds, checks);
  EXPECT_FALSE(checks[0].passed());
  EXPECT_EQ(checks[0].where, "first");
  EXPECT_FALSE(checks[1].passed());
}

TEST(CacheCheck, IsRelativeToTheExpectedRms) {
  CacheCheck check("keys", "reference");
  const std::vector<double> right = {3, 4};
  check.add(right, right, "layer 0");
  check.add({3, 5}, right, "layer 1");
  std::vector<Check> checks;
  check.finish(kBounds, checks);
  EXPECT_DOUBLE_EQ(checks.at(0).figure, 0.2);
  EXPECT_EQ(checks[0].where, "layer 1");
  EXPECT_FALSE(checks[0].passed());
}

// M-126: values in another order have the same norm and sums, but not the same weighted sum.
TEST(CacheCheck, FindsAnotherOrderByTheWeightedSum) {
  const std::vector<double> right = {1, -2, 3, 4, 0, 5};
  GoldenCache golden;
  golden.tokens = 2;
  golden.sum_by_pos = {2, 9};
  for (std::size_t i = 0; i < right.size(); ++i) {
    golden.l2 += right[i] * right[i];
    golden.wsum += (static_cast<double>(i) - 15) * right[i];
  }
  golden.l2 = std::sqrt(golden.l2);
  const auto figure = [&golden](const std::vector<double>& found) {
    CacheCheck check("keys", "golden file");
    check.add(found, golden, "");
    std::vector<Check> checks;
    check.finish(kBounds, checks);
    return checks[0].figure;
  };
  EXPECT_LT(figure(right), 1e-15);
  EXPECT_GT(figure({3, -2, 1, 4, 0, 5}), 0.03);  // exchanged inside a token
  EXPECT_GT(figure({4, 0, 5, 1, -2, 3}), 1);     // exchanged tokens
}

}  // namespace
}  // namespace kb::verify
