#include "sim/analysis/compare/comparison_causes.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>

namespace kb::sim {
namespace {

using result::Result;
using testing::ElementsAre;

constexpr std::int64_t kNs = 1000000;  // fs

void add(Result& run, const std::string& kind, std::uint64_t count, const std::string& statistic,
         const result::KindStatistic& value) {
  for (auto& [name, block] : run.block_kinds) {
    if (name != kind) continue;
    block.statistics.emplace_back(statistic, value);
    return;
  }
  run.block_kinds.push_back({kind, {count, {{statistic, value}}}});
}

std::vector<std::string> names(const std::vector<ChangeCause>& causes) {
  std::vector<std::string> list;
  for (const ChangeCause& one : causes) list.push_back(one.kind + ": " + one.statistic);
  return list;
}

TEST(ComparisonCauses, AreTimesThatChangedTheLargestFirst) {
  Result a, b;
  add(a, "router", 4, "decode.busy", {"ns", 100 * kNs, 50 * kNs, "r0"});
  add(b, "router", 5, "decode.busy", {"ns", 150 * kNs, 60 * kNs, "r1"});
  add(a, "router", 4, "to_router.bytes", {"B", 1, 1, "r0"});
  add(b, "router", 5, "to_router.bytes", {"B", 9, 9, "r0"});
  add(a, "pe_dma", 8, "read_wait", {"ns", 500 * kNs, 90 * kNs, "d0"});
  add(b, "pe_dma", 8, "read_wait", {"ns", 200 * kNs, 30 * kNs, "d3"});
  add(a, "pe_dma", 8, "write_wait", {"ns", 7 * kNs, 7 * kNs, "d0"});
  add(b, "pe_dma", 8, "write_wait", {"ns", 7 * kNs, 5 * kNs, "d0"});
  const std::vector<ChangeCause> causes = causes_of(a, b);
  EXPECT_THAT(names(causes), ElementsAre("pe_dma: read_wait", "router: decode.busy"));
  EXPECT_EQ(causes[0].difference(), -300);
  EXPECT_EQ(causes[0].most, "d3");
  EXPECT_EQ(causes[0].most_before, 90);
  EXPECT_EQ(causes[0].most_after, 30);
  EXPECT_EQ(causes[1].count, 5u) << "of the second run";
}

TEST(ComparisonCauses, WhatOneRunLacksIsZeroThere) {
  Result a, b;
  add(a, "pe_gemm", 2, "slot_wait", {"ns", 3 * kNs, 2 * kNs, "g1"});
  add(b, "pe_math", 1, "busy", {"ns", 4 * kNs, 4 * kNs, "m0"});
  const std::vector<ChangeCause> causes = causes_of(a, b);
  EXPECT_THAT(names(causes), ElementsAre("pe_math: busy", "pe_gemm: slot_wait"));
  EXPECT_EQ(causes[0].before, 0);
  EXPECT_EQ(causes[1].after, 0);
  EXPECT_EQ(causes[1].most, "g1") << "the place of the run that has it";
  EXPECT_EQ(causes[1].count, 2u);
}

TEST(ComparisonCauses, LongestWaitsAreNotAddedUp) {
  Result a, b;
  add(a, "router", 2, "to_m_cpu.max_wait", {"ns", 10 * kNs, 7 * kNs, "r0"});
  add(b, "router", 2, "to_m_cpu.max_wait", {"ns", 18 * kNs, 9 * kNs, "r1"});
  const std::vector<ChangeCause> causes = causes_of(a, b);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].before, 7);
  EXPECT_EQ(causes[0].after, 9);
}

// The changes of all causes are those of all sums.
RC_GTEST_PROP(ComparisonCauses, NothingIsLeftOutOrCountedTwice, ()) {
  Result runs[2];
  std::map<std::string, std::int64_t> sums[2];
  for (int run = 0; run < 2; ++run) {
    for (const char* kind : {"router", "pe_dma", "hbm_ctrl"}) {
      for (const char* statistic : {"busy", "read_wait"}) {
        if (*rc::gen::inRange(0, 4) == 0) continue;
        const std::int64_t sum = *rc::gen::inRange(0, 4);
        add(runs[run], kind, 1, statistic, {"ns", sum * kNs, sum * kNs, "x"});
        sums[run][std::string(kind) + ": " + statistic] = sum;
      }
    }
  }
  std::map<std::string, std::int64_t> expected;
  for (const auto& [name, sum] : sums[0]) expected[name] -= sum;
  for (const auto& [name, sum] : sums[1]) expected[name] += sum;
  double last = INFINITY;
  for (const ChangeCause& one : causes_of(runs[0], runs[1])) {
    RC_ASSERT(one.difference() != 0);
    RC_ASSERT(std::abs(one.difference()) <= last);
    last = std::abs(one.difference());
    expected[one.kind + ": " + one.statistic] -= std::llround(one.difference());
  }
  for (const auto& [name, rest] : expected) RC_ASSERT(rest == 0);
}

}  // namespace
}  // namespace kb::sim
