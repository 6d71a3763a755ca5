// Products and shares of femtojoules (E-113, E-114).
#include "platform/energy/coefficient.h"

#include <gtest/gtest.h>

#include <random>

#include "platform/base/error.h"

namespace kb::energy {
namespace {

Coefficient pj(double value, double low, double high) {
  return Coefficient::of_pj(value, low, high, "", "a test");
}

TEST(Coefficient, ProductsAreExactAndRoundedOnce_E113) {
  EXPECT_EQ(pj(3.9, 3, 7).times(8), (Energy{31'200, 24'000, 56'000}));
  EXPECT_EQ(pj(0.0004, 0, 0.0005).times(1), (Energy{0, 0, 1}));  // 0.4 fJ and 0.5 fJ
  EXPECT_EQ(pj(0.0004, 0, 0.0005).times(1000), (Energy{400, 0, 500}));
  // 2^53 + 1 events: a double would lose the last one.
  EXPECT_EQ(pj(0.001, 0.001, 0.001).times((Count{1} << 53U) + 1).value, (std::uint64_t{1} << 53U) + 1);
}

TEST(Coefficient, CountsOfAThousandthPerUnit_E113) {
  EXPECT_EQ(pj(0.06, 0.02, 0.12).times(8 * 2'500, 1000), (Energy{1'200, 400, 2'400}));  // 8 bits over 2.5 mm
}

TEST(Coefficient, StaticPowerIsInMicrowatts_E113) {
  // 20 W for 3 ns = 60 nJ
  const Coefficient power = Coefficient::of_watts(20, 10, 30, "", "a test");
  EXPECT_EQ(power.times(3'000'000), (Energy{60'000'000, 30'000'000, 90'000'000}));
}

TEST(Coefficient, MoreThan18KilojoulesIsAnError_E113) {
  const auto code = [](const auto& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.code();
    }
    return std::string();
  };
  EXPECT_EQ(code([] { return pj(1e6, 1e6, 1e6).times(~std::uint64_t{0}); }), "ENERGY_RANGE");
  EXPECT_EQ(code([] { return pj(1e6, 1e6, 1e6).times(~Count{0}); }), "ENERGY_RANGE");
  Energy sum{~std::uint64_t{0}, 0, 0};
  EXPECT_EQ(code([&] { sum.add({1, 0, 0}); }), "ENERGY_RANGE");
}

TEST(Coefficient, TextsHaveThreeDigits) {
  EXPECT_EQ(joules_text(0), "0 fJ");
  EXPECT_EQ(joules_text(999), "999 fJ");
  EXPECT_EQ(joules_text(596'000), "596 pJ");
  EXPECT_EQ(joules_text(999'600), "1.00 nJ");
  EXPECT_EQ(joules_text(12'345'678'901), "12.3 uJ");
  EXPECT_EQ(joules_text(~std::uint64_t{0}), "18.4 kJ");
}

// Shares of any counts add up to the product of their sum, and each is within 1 fJ of its own product.
TEST(Division, SharesAddUpToTheDigit_E114) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const double value = static_cast<double>(random() % 1'000'000'000) * 1e-9 * 5;
    const Coefficient coefficient = pj(value, value / 3, value * 2);
    const std::uint32_t ratio = round % 2 == 0 ? 1 : 1000;
    Division division(coefficient, ratio);
    Energy sum;
    std::uint64_t all = 0;
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t count = random() % 5000;
      const Energy share = division.next(count), own = coefficient.times(count, ratio);
      EXPECT_LE(share.value, own.value + 1);
      EXPECT_LE(own.value, share.value + 1);
      sum.add(share);
      all += count;
    }
    EXPECT_EQ(sum, coefficient.times(all, ratio));
  }
}

}  // namespace
}  // namespace kb::energy
