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
  const StageTimes times = of({{0, 10, "sip0.cube0.pe0.pe_dma", "TileToken/DMA_READ"},
                               {5, 25, "sip0.cube0.pe0.pe_dma", "TileToken/DMA_WRITE"},
                               {40, 50, "sip0.cube0.pe0.pe_fetch_store", "TileToken/FETCH"},
                               {50, 52, "sip0.cube0.pe0.pe_fetch_store", "TileToken/STORE"}});
  EXPECT_EQ(times.stages.size(), 4u);
  EXPECT_EQ(times.stages.at("DMA_READ").occupancy(), 10);
  EXPECT_EQ(times.stages.at("DMA_WRITE").occupancy(), 20);
  EXPECT_EQ(times.engines.at("pe_dma").count(), 2u);
  EXPECT_EQ(times.engines.at("pe_dma").wall(), 25);
  EXPECT_EQ(times.engines.at("pe_dma").occupancy(), 30);
  EXPECT_EQ(times.stages.at("STORE").wall(), 2);
}

TEST(StageTimes, LoadsBeforeTheCompositeAreInThePeWindowOnly_E23) {
  const StageTimes times = of({{100, 200, "sip0.cube0.pe0.pe_dma", "dma_read"},
                               {200, 230, "sip0.cube0.pe0.pe_dma", "TileToken/DMA_READ"},
                               {230, 246, "sip0.cube0.pe0.pe_gemm", "TileToken/GEMM"},
                               {200, 400, "sip0.cube0.pe0.pe_scheduler", "composite_gemm"},  // a summary, no engine
                               {0, 999, "sip0.cube0.pe1.pe_gemm", "TileToken/GEMM"},         // others
                               {0, 999, "sip0.io0.pcie_ep", "host_write"}});
  EXPECT_EQ(times.pe.window(), 146);
  EXPECT_EQ(times.composite.window(), 46);
  EXPECT_EQ(times.composite.first(), 200);
  EXPECT_EQ(times.engines.size(), 2u);
  EXPECT_EQ(of({}).pe.window(), 0);
}

TEST(StageTimes, UnionsEqualACountOfEveryInstant) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<Record> records;
    std::set<TimeFs> instants;
    TimeFs sum = 0, first = 1000, last = 0;
    for (std::uint64_t i = 0; i < 1 + random() % 12; ++i) {
      const auto start = static_cast<TimeFs>(random() % 100), end = start + static_cast<TimeFs>(random() % 30);
      records.push_back({start, end, "sip0.cube0.pe0.pe_gemm", "TileToken/GEMM"});
      for (TimeFs t = start; t < end; ++t) instants.insert(t);
      sum += end - start;
      first = std::min(first, start);
      last = std::max(last, end);
    }
    const StageTimes times = of(records);
    const IntervalSum& gemm = times.stages.at("GEMM");
    ASSERT_EQ(gemm.wall(), static_cast<TimeFs>(instants.size()));
    ASSERT_EQ(gemm.occupancy(), sum);
    ASSERT_EQ(gemm.window(), last - first);
    ASSERT_EQ(gemm.count(), records.size());
  }
}

}  // namespace
}  // namespace kb::evaluate
