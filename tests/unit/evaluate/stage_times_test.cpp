// Intervals of an operation log per stage and engine (E-22 .. E-26), against a count of every femtosecond.
#include "sim/evaluate/stage_times.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>

namespace kb::evaluate {
namespace {

struct Record {
  TimeFs start, end;
  std::string component, name;
};

StageTimes of(std::vector<Record> records) {
  std::stable_sort(records.begin(), records.end(), [](const Record& a, const Record& b) { return a.start < b.start; });
  return stage_times(
      [&](const auto& visit) {
        std::uint64_t sequence = 0;
        for (const Record& r : records) visit({sequence++, r.start, r.end, r.component, "unknown", r.name, "{}"});
      },
      "sip0.cube0.pe0");
}

TEST(StageTimes, StagesOnOneComponentAreApart_E26) {
  const StageTimes times = of({{0_fs, 10_fs, "sip0.cube0.pe0.pe_dma", "TileToken/DMA_READ"},
                               {5_fs, 25_fs, "sip0.cube0.pe0.pe_dma", "TileToken/DMA_WRITE"},
                               {40_fs, 50_fs, "sip0.cube0.pe0.pe_fetch_store", "TileToken/FETCH"},
                               {50_fs, 52_fs, "sip0.cube0.pe0.pe_fetch_store", "TileToken/STORE"}});
  EXPECT_EQ(times.stages.size(), 4u);
  EXPECT_EQ(times.stages.at("DMA_READ").occupancy(), 10_fs);
  EXPECT_EQ(times.stages.at("DMA_WRITE").occupancy(), 20_fs);
  EXPECT_EQ(times.engines.at("pe_dma").count(), 2u);
  EXPECT_EQ(times.engines.at("pe_dma").wall(), 25_fs);
  EXPECT_EQ(times.engines.at("pe_dma").occupancy(), 30_fs);
  EXPECT_EQ(times.stages.at("STORE").wall(), 2_fs);
}

TEST(StageTimes, LoadsBeforeTheCompositeAreInThePeWindowOnly_E23) {
  const StageTimes times =
      of({{100_fs, 200_fs, "sip0.cube0.pe0.pe_dma", "dma_read"},
          {200_fs, 230_fs, "sip0.cube0.pe0.pe_dma", "TileToken/DMA_READ"},
          {230_fs, 246_fs, "sip0.cube0.pe0.pe_gemm", "TileToken/GEMM"},
          {200_fs, 400_fs, "sip0.cube0.pe0.pe_scheduler", "composite_gemm"},  // a summary, no engine
          {0_fs, 999_fs, "sip0.cube0.pe1.pe_gemm", "TileToken/GEMM"},         // others
          {0_fs, 999_fs, "sip0.io0.pcie_ep", "host_write"}});
  EXPECT_EQ(times.pe.window(), 146_fs);
  EXPECT_EQ(times.composite.window(), 46_fs);
  EXPECT_EQ(times.composite.first(), 200_fs);
  EXPECT_EQ(times.engines.size(), 2u);
  EXPECT_EQ(of({}).pe.window(), 0_fs);
}

TEST(StageTimes, UnionsEqualACountOfEveryInstant) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<Record> records;
    std::set<TimeFs> instants;
    TimeFs sum = 0_fs, first = 1000_fs, last = 0_fs;
    for (std::uint64_t i = 0; i < 1 + random() % 12; ++i) {
      const TimeFs start = random() % 100 * 1_fs, end = start + random() % 30 * 1_fs;
      records.push_back({start, end, "sip0.cube0.pe0.pe_gemm", "TileToken/GEMM"});
      for (TimeFs t = start; t < end; t += 1_fs) instants.insert(t);
      sum += end - start;
      first = std::min(first, start);
      last = std::max(last, end);
    }
    const StageTimes times = of(records);
    const IntervalSum& gemm = times.stages.at("GEMM");
    ASSERT_EQ(gemm.wall(), instants.size() * 1_fs);
    ASSERT_EQ(gemm.occupancy(), sum);
    ASSERT_EQ(gemm.window(), last - first);
    ASSERT_EQ(gemm.count(), records.size());
  }
}

}  // namespace
}  // namespace kb::evaluate
