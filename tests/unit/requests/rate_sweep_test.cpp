#include "sim/study/requests/rate_sweep.h"

#include <gmock/gmock.h>

#include "platform/base/error.h"

namespace kb::requests {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(RateSweep, ListsAndRanges) {  // M-77
  EXPECT_THAT(parse_rates("4,0.5,2,2"), ElementsAre(0.5, 2, 4));
  EXPECT_THAT(parse_rates("0.5:8:5"),
              ElementsAre(0.5, DoubleNear(1, 1e-12), DoubleNear(2, 1e-12), DoubleNear(4, 1e-12), 8));
  for (const char* wrong : {"", "0", "-1", "a", "1,,2", "2:1:3", "1:2:1", "1:2", "1:2:3:4", "1:2:x", "1:2:1001"}) {
    EXPECT_THROW(parse_rates(wrong), Error) << wrong;
  }
}

std::vector<RatePoint> points(const std::vector<std::pair<double, double>>& values) {
  std::vector<RatePoint> all;
  for (const auto& [throughput, latency] : values) {
    RatePoint point;
    point.requests_per_s = throughput;
    point.latency_mean = latency;
    all.push_back(point);
  }
  return all;
}

TEST(RateSweep, TheKneeIsFarthestBelowTheLine) {                                   // M-77
  EXPECT_EQ(knee_of(points({{1, 10}, {2, 11}, {3, 13}, {4, 60}, {5, 110}})), 2u);  // 0.5 - 0.03 of the ranges
  EXPECT_EQ(knee_of(points({{1, 10}, {2, 11}, {3, 13}, {3.8, 20}, {4, 110}})), 3u);
}

TEST(RateSweep, WithoutARiseThereIsNoKnee) {  // M-77
  EXPECT_FALSE(knee_of(points({{1, 10}, {2, 20}})));
  EXPECT_FALSE(knee_of(points({{1, 10}, {2, 10}, {3, 10}})));
  EXPECT_FALSE(knee_of(points({{1, 10}, {2, 20}, {3, 30}})));  // a straight line
  EXPECT_FALSE(knee_of(points({{1, 10}, {2, 90}, {3, 100}})));
}

}  // namespace
}  // namespace kb::requests
