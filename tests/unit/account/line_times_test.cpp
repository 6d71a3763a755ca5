// Times by line, summed over the PEs of a launch.
#include "platform/record/line_times.h"

#include <gtest/gtest.h>

namespace kb::record {
namespace {

using account::PlaceId;

constexpr PeCoord kFirst{SipId(0), CubeId(0), PeId(0)}, kSecond{SipId(0), CubeId(0), PeId(1)};

LineTime line(std::uint32_t place, std::uint32_t held_by, std::size_t share, TimeFs time) {
  LineTime one{PlaceId{place}, PlaceId{held_by}, {}};
  one.time[share] = time;
  return one;
}

TEST(LineTimes, HasTheSumAndThePeThatEndedLast) {
  LineTimes times;
  EXPECT_EQ(times.of_launch(1), nullptr);
  times.add(1, kFirst, 100_ns, {line(1, 1, 3, 40_ns), line(2, 1, 0, 60_ns)});
  times.add(1, kSecond, 90_ns, {line(1, 1, 3, 90_ns)});
  const std::vector<LineShare>& shares = *times.of_launch(1);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].line, PlaceId{1});
  EXPECT_EQ(shares[0].share, 3u);
  EXPECT_EQ(shares[0].sum, 130_ns);
  EXPECT_EQ(shares[0].last, 40_ns);
  EXPECT_EQ(shares[1].held_by, PlaceId{1});
  EXPECT_EQ(shares[1].last, 60_ns);
}

// A later end takes the place of the former; of PEs that end at once the first one in machine order counts.
TEST(LineTimes, TheLastPeIsThatOfTheLaunch) {
  LineTimes times;
  times.add(1, kSecond, 100_ns, {line(1, 1, 3, 100_ns)});
  times.add(1, kFirst, 100_ns, {line(2, 2, 3, 100_ns)});
  const std::vector<LineShare>& shares = *times.of_launch(1);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].last, 0_ns);
  EXPECT_EQ(shares[1].last, 100_ns);
  EXPECT_EQ(shares[0].sum, 100_ns);
}

TEST(LineTimes, LaunchesAreApart) {
  LineTimes times;
  times.add(1, kFirst, 10_ns, {line(1, 1, 0, 10_ns)});
  times.add(2, kFirst, 20_ns, {line(1, 1, 0, 7_ns)});
  EXPECT_EQ(times.of_launch(1)->front().sum, 10_ns);
  EXPECT_EQ(times.of_launch(2)->front().sum, 7_ns);
}

}  // namespace
}  // namespace kb::record
