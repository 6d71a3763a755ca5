#include "sim/analysis/compare/comparison_energy.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

namespace kb::sim {
namespace {

using result::Joules;
using result::Result;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::uint64_t kPj = 1000;  // fJ

// An event of `count`, with a coefficient in whole pJ.
void add_event(Result& run, const std::string& part, const std::string& name, std::uint64_t count, std::uint64_t pj,
               std::uint64_t low, std::uint64_t high) {
  result::Energy& energy = *run.energy;
  result::EnergyEvent event;
  event.part = part;
  event.name = name;
  event.per = "bit";
  event.count = count;
  event.value = static_cast<double>(pj);
  event.low = static_cast<double>(low);
  event.high = static_cast<double>(high);
  event.energy = {count * pj * kPj, count * low * kPj, count * high * kPj};
  energy.events.push_back(event);
  energy.parts.push_back({part, part, event.energy, 0, {}});
  energy.total.value += event.energy.value;
  energy.total.low += event.energy.low;
  energy.total.high += event.energy.high;
}

void add_line(Result& run, std::uint64_t line, const std::string& tensor, std::uint64_t fj) {
  run.energy->lines->push_back({"k", {"dir/k.cpp", line, line == 0 ? "" : "load", "", tensor}, {fj, fj, fj}, {}});
}

Result run_with(const std::string& defaults) {
  Result run;
  run.energy.emplace().defaults = defaults;
  run.energy->lines.emplace();
  return run;
}

TEST(ComparisonEnergy, NoneWithoutJoulesAndASentenceWhenOneRunHasSome) {
  const Result with = run_with("hbm2_7nm"), without;
  EXPECT_FALSE(compare_energy(without, without));
  EXPECT_THAT(energy_section(*compare_energy(with, without), 9),
              HasSubstr("Only A has joules; run B again with --set energy.defaults=hbm2_7nm"));
  const EnergyComparison other = *compare_energy(without, with);
  EXPECT_THAT(energy_section(other, 9), HasSubstr("Only B has joules; run A again"));
  EXPECT_THAT(energy_section(other, 9), Not(HasSubstr("total")));
  EXPECT_TRUE(energy_json(other)["total"].is_null());
}

// Bits take 60 pJ less (30 to 120), products 20 more (10 to 40), elements 1 more: from -120 + 10 + 1 to -30 + 40 + 1.
TEST(ComparisonEnergy, TheDifferenceHasTheSameCoefficientsInBothRuns) {
  Result a = run_with("hbm2_7nm"), b = run_with("hbm2_7nm");
  add_event(a, "hbm", "bit", 100, 2, 1, 4);
  add_event(b, "hbm", "bit", 70, 2, 1, 4);
  add_event(a, "gemm", "mac_f16", 10, 2, 1, 4);
  add_event(b, "gemm", "mac_f16", 20, 2, 1, 4);
  add_event(b, "math", "element_f16", 1, 1, 1, 1);
  const EnergyComparison energy = *compare_energy(a, b);
  EXPECT_THAT(energy.notes, IsEmpty());
  EXPECT_THAT(energy.coefficients, IsEmpty()) << "an event that one run lacks is no other coefficient";
  EXPECT_EQ(*energy.least, -109e3);
  EXPECT_EQ(*energy.largest, 11e3) << "the lower end of bits, the upper end of products";
}

TEST(ComparisonEnergy, OtherCoefficientsAreNamed) {
  Result a = run_with("hbm2_7nm"), b = run_with("none");
  add_event(a, "hbm", "bit", 100, 4, 3, 7);
  add_event(b, "hbm", "bit", 100, 2, 2, 2);
  add_event(a, "ucie", "bit", 10, 1, 1, 1);
  b.energy->not_counted = {"10 bit of ucie (energy.ucie.bit)"};
  add_event(b, "hbm", "static", 1, 5, 5, 5);
  b.energy->events.back().per = "W";
  const EnergyComparison energy = *compare_energy(a, b);
  EXPECT_FALSE(energy.least) << "no range of a difference that has two sets of coefficients";
  const std::string text = energy_section(energy, 9);
  EXPECT_THAT(text, HasSubstr("Energy (coefficients: hbm2_7nm in A, none in B;"));
  EXPECT_THAT(text, HasSubstr("The coefficients of A and B differ"));
  EXPECT_THAT(text, HasSubstr("hbm.bit, pJ per bit: 4 (3 to 7) in A, 2 in B\n"));
  EXPECT_THAT(text, HasSubstr("ucie.bit, pJ per bit: 1 in A, none in B\n"));
  EXPECT_THAT(text, HasSubstr("hbm.static, W: none in A, 5 in B\n"));
  EXPECT_THAT(energy_section(energy, 1), HasSubstr("and 2 more (--rows 3 shows all)"));
  EXPECT_EQ(energy_json(energy)["coefficients"][1]["after"], nullptr);
}

TEST(ComparisonEnergy, AMemoryWithBanksIsNotComparedSilentlyWithOneWithout) {
  Result a = run_with("hbm3_7nm"), b = run_with("hbm3_7nm");
  add_event(a, "hbm", "bit", 100, 4, 3, 7);
  add_event(b, "hbm", "read_bit", 100, 2, 2, 2);
  EXPECT_THAT(energy_section(*compare_energy(a, b), 9), HasSubstr("The memory of B has banks and that of A has none"));
}

TEST(ComparisonEnergy, LinesComeByTheSizeOfTheirChange) {
  Result a = run_with("hbm2_7nm"), b = run_with("hbm2_7nm");
  add_line(a, 3, "x", 500);
  add_line(b, 5, "x", 200);
  add_line(a, 4, "w", 100);
  add_line(a, 0, "", 50);
  add_line(b, 0, "", 80);
  add_line(a, 8, "y", 90000000);
  add_line(b, 8, "y", 90000002);
  const EnergyComparison energy = *compare_energy(a, b);
  ASSERT_EQ(energy.lines.size(), 3u) << "2 fJ of y are rounded shares";
  EXPECT_EQ(energy.lines[0].tensor, "x");
  EXPECT_EQ(energy.lines[1].tensor, "w");
  EXPECT_FALSE(energy.lines[1].after);
  const std::string text = energy_section(energy, 2);
  EXPECT_THAT(text, HasSubstr("k.cpp:3 -> 5 load  x              500 fJ  200 fJ  -300 fJ  0.400\n"));
  EXPECT_THAT(text, HasSubstr("k.cpp:4 load       w              100 fJ       -  -100 fJ  0.000\n"));
  EXPECT_THAT(text, HasSubstr("and 1 that changed less (--rows 3 shows all)"));
  EXPECT_THAT(energy_section(energy, 3), HasSubstr("(distribution of launches)"));
  b.energy->lines.reset();
  EXPECT_THAT(energy_section(*compare_energy(a, b), 9), HasSubstr("B recorded no activity (--no-findings)"));
}

// With equal coefficients the change of the total lies within its range, and the parts add up to it.
RC_GTEST_PROP(ComparisonEnergy, TheRangeHoldsTheDifference, ()) {
  Result a = run_with("hbm2_7nm"), b = run_with("hbm2_7nm");
  for (const char* part : {"hbm", "routers", "gemm"}) {
    const auto low = *rc::gen::inRange<std::uint64_t>(0, 9), value = low + *rc::gen::inRange<std::uint64_t>(0, 9),
               high = value + *rc::gen::inRange<std::uint64_t>(0, 9);
    for (Result* run : {&a, &b}) {
      if (*rc::gen::inRange(0, 4) == 0) continue;
      add_event(*run, part, "bit", *rc::gen::inRange<std::uint64_t>(0, 99), value, low, high);
    }
  }
  const EnergyComparison energy = *compare_energy(a, b);
  const double change = static_cast<double>(b.energy->total.value) - static_cast<double>(a.energy->total.value);
  RC_ASSERT(*energy.least <= change && change <= *energy.largest);
  double parts = 0;
  for (const EnergyChange& part : energy.parts) {
    parts += static_cast<double>(part.after.value) - static_cast<double>(part.before.value);
  }
  RC_ASSERT(parts == change);
}

}  // namespace
}  // namespace kb::sim
