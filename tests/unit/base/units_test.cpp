// The range of simulated time: nothing overflows, whatever is added and multiplied.
#include "platform/base/units.h"

#include <gtest/gtest.h>

#include <functional>
#include <type_traits>

#include "platform/base/error.h"

namespace kb {
namespace {

static_assert(sizeof(TimeFs) == 8 && std::is_trivially_copyable_v<TimeFs>);
static_assert(!std::is_convertible_v<int, TimeFs> && !std::is_convertible_v<TimeFs, std::int64_t>);
static_assert(!std::is_invocable_v<std::multiplies<>, double, TimeFs>);  // round_fs() says how it rounds

TEST(Units, TimesAddUpAndAreCounted) {
  EXPECT_EQ(TimeFs().fs(), 0);
  EXPECT_EQ(2_ns + 3 * 500'000_fs - 1_ns, 2.5_ns);
  EXPECT_EQ(-1_ns + 1_fs, -999'999_fs);
  EXPECT_EQ(7_ns / 2_ns, 3);
  EXPECT_EQ(7_ns % 2_ns, 1_ns);
  EXPECT_EQ(7_ns / 2, 3.5_ns);
  EXPECT_EQ(82.06_ns, 82'060'000_fs);
  EXPECT_EQ(periods(0_ns, 3_ns), 0);
  EXPECT_EQ(periods(6_ns, 3_ns), 2);
  EXPECT_EQ(periods(6_ns + 1_fs, 3_ns), 3);
  EXPECT_EQ(testing::PrintToString(82.06_ns), "82.06 ns");
}

TEST(Units, SumsAndProductsStopBehindTheEndOfTime) {
  static_assert(kPastEnd < kNever - kPastEnd);  // any two can be added
  EXPECT_EQ(time_sum(kTimeEnd - 1_fs, 1_fs), kTimeEnd);
  EXPECT_EQ(time_sum(kTimeEnd, 1_fs), kPastEnd);
  EXPECT_EQ(time_sum(kPastEnd, kPastEnd), kPastEnd);
  EXPECT_EQ(time_sum(kNever, kNever), kPastEnd);
  EXPECT_EQ(time_product(46, kTimeEnd / 46), kTimeEnd);
  EXPECT_EQ(time_product(2, kTimeEnd), kPastEnd);
  EXPECT_EQ(time_product(~std::uint64_t{0}, kTimeEnd), kPastEnd);
  EXPECT_EQ(time_product(~std::uint64_t{0}, 0_fs), 0_fs);
}

TEST(Units, DurationsThatAreTooLongStandForTheEndOfTime) {
  EXPECT_EQ(round_fs(2.5), 3_fs);
  EXPECT_EQ(round_fs(4.6e18), kTimeEnd);
  EXPECT_EQ(round_fs(1e19), kPastEnd);
  EXPECT_EQ(round_fs(1e300), kPastEnd);
  EXPECT_EQ(ns_to_fs(1e12), 1'000'000'000'000_ns);
  EXPECT_THROW(ns_to_fs(1.1e12), Error);
}

TEST(Units, LongCountsOfBytesAreAlsoRounded) {
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(48 * kKiB), "48 KiB");
  EXPECT_EQ(format_size(9999), "9999 B");
  EXPECT_EQ(format_size(10001), "9.8 KiB (10001 B)");
  EXPECT_EQ(format_size(4291456 * kKiB), "4.1 GiB (4291456 KiB)");
  EXPECT_EQ(format_size(1953125000 * kKiB), "1.8 TiB (1953125000 KiB)");
  EXPECT_EQ(format_size(~std::uint64_t{0}), "16.0 EiB (18446744073709551615 B)");
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
