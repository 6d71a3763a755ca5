#include "sw/serving/distribution.h"

#include <gtest/gtest.h>

namespace kb::serving {
namespace {

TEST(Distribution, PercentilesLieBetweenTheNearestRanks) {  // M-74
  Distribution values;
  for (const int value : {40, 10, 30, 20}) values.add(value);
  EXPECT_DOUBLE_EQ(values.percentile(0), 10);
  EXPECT_DOUBLE_EQ(values.percentile(50), 25);
  EXPECT_DOUBLE_EQ(values.percentile(90), 37);
  EXPECT_DOUBLE_EQ(values.percentile(100), 40);
  EXPECT_DOUBLE_EQ(values.mean(), 25);
  EXPECT_EQ(values.most(), 40);
}

TEST(Distribution, EqualValuesAreRanksOfTheirOwn) {  // M-74
  Distribution values;
  for (int i = 0; i < 9; ++i) values.add(5);
  values.add(105);
  EXPECT_EQ(values.count(), 10u);
  EXPECT_DOUBLE_EQ(values.percentile(50), 5);
  EXPECT_DOUBLE_EQ(values.percentile(88), 5);    // rank 7.92
  EXPECT_NEAR(values.percentile(95), 60, 1e-9);  // rank 8.55: between the ninth and the last
  EXPECT_DOUBLE_EQ(values.percentile(100), 105);
}

TEST(Distribution, WithoutValuesEverythingIsZero) {
  const Distribution values;
  EXPECT_EQ(values.mean(), 0);
  EXPECT_EQ(values.percentile(99), 0);
  EXPECT_EQ(values.most(), 0);
}

}  // namespace
}  // namespace kb::serving
