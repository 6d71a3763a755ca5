// Quantities are made where their unit is named, and mixed nowhere.
#include "platform/base/quantities.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <type_traits>

#include "platform/ops/engine_rates.h"

namespace kb {
namespace {

template <typename... Quantities>
constexpr bool cost_no_more_than_their_number() {
  return ((sizeof(Quantities) == sizeof(double) && std::is_trivially_copyable_v<Quantities>)&&...);
}
static_assert(cost_no_more_than_their_number<Bandwidth, Gigahertz, MacRate, ElementRate, Nanoseconds, Megabytes>());

// From and to its number only by name, and never from another quantity.
template <typename Q, typename... Others>
constexpr bool stands_alone() {
  return !std::is_convertible_v<double, Q> && !std::is_convertible_v<int, Q> && !std::is_constructible_v<double, Q> &&
         (!std::is_constructible_v<Q, Others> && ...);
}
static_assert(stands_alone<Bandwidth, Gigahertz, MacRate, ElementRate, Nanoseconds, Megabytes, TimeFs>());
static_assert(stands_alone<Gigahertz, Bandwidth, MacRate, ElementRate, Nanoseconds, Megabytes, TimeFs>());
static_assert(stands_alone<MacRate, Bandwidth, Gigahertz, ElementRate, Nanoseconds, Megabytes, TimeFs>());
static_assert(stands_alone<ElementRate, Bandwidth, Gigahertz, MacRate, Nanoseconds, Megabytes, TimeFs>());
static_assert(stands_alone<Nanoseconds, Bandwidth, Gigahertz, MacRate, ElementRate, Megabytes, TimeFs>());
static_assert(stands_alone<Megabytes, Bandwidth, Gigahertz, MacRate, ElementRate, Nanoseconds, TimeFs>());

static_assert(!std::is_invocable_v<std::less<>, Bandwidth, double> &&
              !std::is_invocable_v<std::less<>, double, MacRate>);
static_assert(!std::is_invocable_v<std::less<>, MacRate, ElementRate>);
static_assert(!std::is_invocable_v<std::plus<>, Bandwidth, Bandwidth>);  // nothing in a machine adds them

TEST(Bandwidth, OccupiesALinkByTheNearestFemtosecond) {  // F-28
  EXPECT_EQ(Bandwidth(256).occupancy(256), 1_ns);
  EXPECT_EQ(Bandwidth(3).occupancy(1), 333'333_fs);
  EXPECT_EQ(Bandwidth(3).occupancy(2), 666'667_fs);
  EXPECT_EQ(Bandwidth(1e6).occupancy(1), 1_fs);
  EXPECT_EQ(Bandwidth(2e6).occupancy(1), 1_fs) << "half a femtosecond is rounded up";
  EXPECT_EQ(Bandwidth(128).occupancy(0), 0_fs);
  EXPECT_EQ(Bandwidth(0.001).occupancy(6'000'000'000), kPastEnd);
}

TEST(Bandwidth, WithoutALimitNothingIsSerialised) {
  for (const Bandwidth none : {Bandwidth(), Bandwidth(0), Bandwidth(-1)}) {
    EXPECT_FALSE(none.limited());
    EXPECT_EQ(none.occupancy(1'000'000), 0_fs);
    EXPECT_EQ(none.ns_per_byte(), 0.0);
    EXPECT_EQ(none, Bandwidth());
  }
  EXPECT_TRUE(Bandwidth(0.001).limited());
  EXPECT_EQ(Bandwidth(4).ns_per_byte(), 0.25);
}

TEST(Bandwidth, NoLimitIsWiderThanAny) {
  const Bandwidth none, narrow(128), wide(256);
  EXPECT_LT(narrow, wide);
  EXPECT_LT(wide, none);
  EXPECT_FALSE(none < Bandwidth());
  EXPECT_EQ(std::min({none, wide, narrow}), narrow);
  EXPECT_EQ(wider_limit(narrow, wide), wide);
  EXPECT_EQ(wider_limit(narrow, none), narrow) << "what has no limit is left out";
  EXPECT_EQ(wider_limit(none, narrow), narrow);
  EXPECT_EQ(wider_limit(none, none), none);
}

TEST(Bandwidth, IsSharedAndCompared) {
  EXPECT_EQ(Bandwidth(32) * 8, Bandwidth(256));
  EXPECT_EQ(Bandwidth(256) / 8, Bandwidth(32));
  EXPECT_EQ(Bandwidth(256) / Bandwidth(512), 0.5);
  EXPECT_NE(Bandwidth(256), Bandwidth());
  EXPECT_EQ(testing::PrintToString(Bandwidth(204.8)), "204.8 GB/s");
}

TEST(Rate, SaysHowLongAnAmountTakes) {  // P-40, P-41
  EXPECT_EQ(MacRate(4096).time(65536), 16_ns);
  EXPECT_EQ(ElementRate(3).time(1), 333'333_fs);
  EXPECT_EQ(Gigahertz(1.5).time(3), 2_ns);
  EXPECT_EQ(ElementRate(0.001).time(1e18), kPastEnd);
  EXPECT_EQ(std::min(MacRate(8192), MacRate(2048)), MacRate(2048));
}

TEST(Rate, OfADtypeKeepsWhatItCounts) {
  static_assert(std::is_same_v<decltype(MacRates(1.0).of(Dtype::f16)), MacRate>);
  static_assert(std::is_same_v<decltype(ElementRates(1.0).of(Dtype::f16)), ElementRate>);
  EXPECT_EQ(ElementRates(256).of(Dtype::f32), ElementRate(128));
}

}  // namespace
}  // namespace kb
