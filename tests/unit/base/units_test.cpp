// The range of simulated time: nothing overflows, whatever is added and multiplied.
#include "platform/base/units.h"

#include <gtest/gtest.h>

#include "platform/base/error.h"

namespace kb {
namespace {

TEST(Units, SumsAndProductsStopBehindTheEndOfTime) {
  static_assert(kPastEnd < kNever - kPastEnd);  // any two can be added
  EXPECT_EQ(time_sum(kTimeEnd - 1, 1), kTimeEnd);
  EXPECT_EQ(time_sum(kTimeEnd, 1), kPastEnd);
  EXPECT_EQ(time_sum(kPastEnd, kPastEnd), kPastEnd);
  EXPECT_EQ(time_sum(kNever, kNever), kPastEnd);
  EXPECT_EQ(time_product(46, kTimeEnd / 46), kTimeEnd);
  EXPECT_EQ(time_product(2, kTimeEnd), kPastEnd);
  EXPECT_EQ(time_product(~std::uint64_t{0}, kTimeEnd), kPastEnd);
  EXPECT_EQ(time_product(~std::uint64_t{0}, 0), 0);
}

TEST(Units, DurationsThatAreTooLongStandForTheEndOfTime) {
  EXPECT_EQ(round_fs(2.5), 3);
  EXPECT_EQ(round_fs(4.6e18), kTimeEnd);
  EXPECT_EQ(round_fs(1e19), kPastEnd);
  EXPECT_EQ(round_fs(1e300), kPastEnd);
  EXPECT_EQ(occupancy_fs(6'000'000'000, 0.001), kPastEnd);
  EXPECT_EQ(ns_to_fs(1e12), 1'000'000'000'000 * kFsPerNs);
  EXPECT_THROW(ns_to_fs(1.1e12), Error);
}

TEST(Units, StatisticsStayAtTheLargestValue) {
  TimeFs total = kTimeEnd;
  accumulate(total, kTimeEnd);
  EXPECT_EQ(total, 2 * kTimeEnd);
  accumulate(total, kTimeEnd);
  EXPECT_EQ(total, kNever);
}

}  // namespace
}  // namespace kb
