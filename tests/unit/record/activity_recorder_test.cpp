// How launches divide the time of a SIP.
#include "platform/record/activity_recorder.h"

#include <gtest/gtest.h>

namespace kb::record {
namespace {

SeriesInfo of_sip(int sip) {
  SeriesInfo info;
  info.node = NodeId(static_cast<std::uint32_t>(sip + 1));
  info.group = sip;
  return info;
}

Usage busy(TimeFs begin, TimeFs end) {
  return {begin, end, end - begin, 0_fs, 0, 0};
}

// Busy time by launch, 0 for what belongs to none.
std::vector<std::pair<std::uint64_t, TimeFs>> by_launch(const ActivityRecorder& recorder, std::uint32_t series) {
  std::vector<std::pair<std::uint64_t, TimeFs>> parts;
  for (std::size_t epoch = 0; epoch < recorder.epochs().size(); ++epoch) {
    for (const Activity& activity : recorder.activities_of(epoch)) {
      if (activity.series != series) continue;
      parts.emplace_back(recorder.epochs()[epoch].launch.value_or(0), activity.sum.busy);
    }
  }
  return parts;
}

using Parts = std::vector<std::pair<std::uint64_t, TimeFs>>;

// With as much memory as a run has, and with so little that uses go into bins whenever they need a chunk.
class ActivityRecorderTest : public testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Chunks, ActivityRecorderTest, testing::Values(UsageLog::kChunks, 1));

TEST_P(ActivityRecorderTest, LaunchesDivideTheTimeOfTheirSip) {
  ActivityRecorder recorder(4, std::nullopt, GetParam());
  ActivitySeries& first = recorder.add_series(of_sip(0));
  ActivitySeries& second = recorder.add_series(of_sip(1));
  ActivitySeries& outside = recorder.add_series(of_sip(ActivityRecorder::kOutside));
  for (ActivitySeries* series : {&first, &second, &outside}) series->add(busy(0_ns, 100_ns));
  recorder.launch_began(0, 7, 10_ns);
  recorder.launch_ended(0, 7, 60_ns);
  recorder.finish(100_ns);
  EXPECT_EQ(by_launch(recorder, 0), (Parts{{0, 10_ns}, {7, 50_ns}, {0, 40_ns}}));
  EXPECT_EQ(by_launch(recorder, 1), (Parts{{0, 100_ns}}));
  EXPECT_EQ(by_launch(recorder, 2), (Parts{{0, 10_ns}, {7, 50_ns}, {0, 40_ns}}));
}

TEST_P(ActivityRecorderTest, OverlappingLaunchesCountForTheLatest) {
  ActivityRecorder recorder(1, std::nullopt, GetParam());
  recorder.add_series(of_sip(0)).add(busy(0_ns, 100_ns));
  recorder.launch_began(0, 1, 10_ns);
  recorder.launch_began(0, 2, 30_ns);
  recorder.launch_ended(0, 1, 40_ns);
  recorder.launch_ended(0, 2, 90_ns);
  recorder.finish(100_ns);
  EXPECT_EQ(by_launch(recorder, 0), (Parts{{0, 10_ns}, {1, 20_ns}, {2, 60_ns}, {0, 10_ns}}));
}

TEST_P(ActivityRecorderTest, LaunchesBeyondTheMostShareAnEpoch) {
  ActivityRecorder recorder(1, std::nullopt, GetParam());
  ActivitySeries& series = recorder.add_series(of_sip(0));
  TimeFs at = 0_fs, all = 0_fs;
  for (std::uint64_t launch = 1; launch <= 1000; ++launch) {
    recorder.launch_began(0, launch, at);
    series.add(busy(at, at + 3_ns));
    all += 3_ns;
    at += 5_ns;
    recorder.launch_ended(0, launch, at);
    at += 5_ns;
  }
  recorder.finish(at);
  EXPECT_LE(recorder.epochs().size(), ActivityRecorder::kMaxEpochs + 1);
  EXPECT_EQ(recorder.epochs().back().launch, std::nullopt);
  TimeFs sum = 0_fs;
  for (std::size_t epoch = 0; epoch < recorder.epochs().size(); ++epoch) {
    for (const Activity& activity : recorder.activities_of(epoch)) sum += activity.sum.busy;
  }
  EXPECT_EQ(sum, all);
}

// 10 to 60 ns is a launch, 30 to 70 the window; another launch begins in what is left.
TEST_P(ActivityRecorderTest, AWindowDividesLaunches) {
  ActivityRecorder recorder(4, ActivityRecorder::Window{30_ns, 70_ns}, GetParam());
  ActivitySeries& series = recorder.add_series(of_sip(0));
  const auto use = [&](TimeFs begin, TimeFs end) { series.add(busy(begin, end)); };
  recorder.launch_began(0, 7, 10_ns);
  use(0_ns, 20_ns);
  use(20_ns, 40_ns);
  recorder.launch_ended(0, 7, 60_ns);
  use(44_ns, 80_ns);
  recorder.launch_began(0, 8, 90_ns);
  use(85_ns, 95_ns);
  recorder.finish(100_ns);
  EXPECT_EQ(by_launch(recorder, 0), (Parts{{0, 10_ns}, {7, 20_ns}, {7, 26_ns}, {0, 10_ns}, {0, 15_ns}, {8, 5_ns}}));
  std::vector<std::pair<TimeFs, TimeFs>> spans;
  for (const Epoch& epoch : recorder.epochs()) spans.emplace_back(epoch.begin, epoch.end);
  EXPECT_EQ(spans,
            (std::vector<std::pair<TimeFs, TimeFs>>{
                {0_ns, 10_ns}, {10_ns, 30_ns}, {30_ns, 60_ns}, {60_ns, 70_ns}, {70_ns, 90_ns}, {90_ns, 100_ns}}));
}

TEST_P(ActivityRecorderTest, AWindowHasFinerBinsThanItsLaunch) {
  ActivityRecorder recorder(1, ActivityRecorder::Window{1'000'000_ns, 1'010'000_ns}, GetParam());
  ActivitySeries& series = recorder.add_series(of_sip(0));
  recorder.launch_began(0, 1, 0_ns);
  for (std::int64_t us = 0; us < 2000; ++us) {
    const TimeFs begin = TimeFs(us * 1'000'000'000);
    series.add(busy(begin, begin + 500_ns));
  }
  recorder.launch_ended(0, 1, 2'000'000_ns);
  recorder.finish(2'000'000_ns);
  ASSERT_EQ(recorder.epochs().size(), 3u);
  EXPECT_EQ(recorder.epochs()[0].shift, 31);  // 512 bins of 2.1 us
  EXPECT_EQ(recorder.epochs()[1].shift, 25);  // of 34 ns
  EXPECT_EQ(by_launch(recorder, 0), (Parts{{1, 500'000_ns}, {1, 5'000_ns}, {1, 495'000_ns}}));
}

TEST_P(ActivityRecorderTest, AWindowThatTheRunDoesNotReachIsNone) {
  for (const ActivityRecorder::Window window : {ActivityRecorder::Window{200_ns, 300_ns}, {0_ns, 300_ns}}) {
    ActivityRecorder recorder(1, window, GetParam());
    recorder.add_series(of_sip(0)).add(busy(0_ns, 100_ns));
    recorder.finish(100_ns);
    ASSERT_EQ(recorder.epochs().size(), 1u);
    EXPECT_EQ(recorder.epochs()[0].end, 100_ns);
    EXPECT_EQ(by_launch(recorder, 0), (Parts{{0, 100_ns}}));
  }
}

// A wire tells of a backlog long before it has passed: ten uses, of which each is too long to be joined. Another series
// fills the memory, and only then a launch begins within them.
TEST_P(ActivityRecorderTest, ABacklogIsDividedByALaterLaunch) {
  ActivityRecorder recorder(2, std::nullopt, GetParam());
  ActivitySeries& backlog = recorder.add_series(of_sip(0));
  ActivitySeries& other = recorder.add_series(of_sip(0));
  for (std::int64_t us = 0; us < 10; ++us)
    backlog.add(busy(TimeFs(us * 5'000'000'000), TimeFs((us + 1) * 5'000'000'000)));
  for (std::int64_t i = 0; i < 100; ++i) other.add(busy(TimeFs(i * 10), TimeFs(i * 10 + 5)));
  recorder.launch_began(0, 7, 12'000_ns);
  recorder.launch_ended(0, 7, 13'000_ns);
  recorder.finish(50'000_ns);
  EXPECT_EQ(by_launch(recorder, 0), (Parts{{0, 12'000_ns}, {7, 1'000_ns}, {0, 37'000_ns}}));
}

// Two uses without a gap of which the second one waited, in different launches; what comes later changes neither.
TEST_P(ActivityRecorderTest, WaitsStayInTheirLaunch) {
  ActivityRecorder recorder(2, std::nullopt, GetParam());
  ActivitySeries& series = recorder.add_series(of_sip(0));
  ActivitySeries& other = recorder.add_series(of_sip(0));
  recorder.launch_began(0, 1, 0_ns);
  series.add(busy(0_ns, 10_ns));
  recorder.launch_ended(0, 1, 10_ns);
  recorder.launch_began(0, 2, 10_ns);
  series.add({10_ns, 20_ns, 10_ns, 8_ns, 64, 3});
  series.add(busy(30_ns, 40_ns));
  other.add(busy(30_ns, 40_ns));
  recorder.launch_ended(0, 2, 40_ns);
  recorder.finish(50_ns);
  ASSERT_EQ(recorder.epochs().size(), 3u);
  EXPECT_EQ(recorder.activities_of(0).at(0).sum.wait, 0_fs);
  EXPECT_EQ(recorder.activities_of(0).at(0).sum.queue, 0u);
  EXPECT_EQ(recorder.activities_of(1).at(0).sum.wait, 8_ns);
  EXPECT_EQ(recorder.activities_of(1).at(0).sum.bytes, 64u);
}

// With little memory, the first epoch of a series is complete, with narrow bins, before the other series tells of what
// makes them wider.
TEST_P(ActivityRecorderTest, AllSeriesOfAnEpochHaveBinsOfOneWidth) {
  ActivityRecorder recorder(3, std::nullopt, GetParam());
  ActivitySeries& late = recorder.add_series(of_sip(0));
  ActivitySeries& early = recorder.add_series(of_sip(0));
  ActivitySeries& between = recorder.add_series(of_sip(0));
  early.add(busy(0_ns, 500_ns));
  recorder.launch_began(0, 7, 3'000'000_ns);
  early.add(busy(3'000'010_ns, 3'000'020_ns));
  early.add(busy(3'000'030_ns, 3'000'040_ns));
  between.add(busy(3'000'050_ns, 3'000'060_ns));
  late.add(busy(2'900'000_ns, 2'900'500_ns));
  recorder.finish(3'000'100_ns);
  ASSERT_EQ(recorder.epochs().size(), 2u);
  const std::vector<Activity>& activities = recorder.activities_of(0);
  ASSERT_EQ(activities.size(), 2u);
  for (std::uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(activities[i].series, i);
    std::vector<std::pair<std::uint32_t, TimeFs>> bins;
    activities[i].bins.for_each([&](std::uint32_t bin, const Bin& what) { bins.emplace_back(bin, what.busy); });
    EXPECT_EQ(bins, (std::vector<std::pair<std::uint32_t, TimeFs>>{{i == 0 ? 337 : 0, 500_ns}})) << "8.6 us wide";
  }
}

// Three launches of 60 ns each; bins are asked for in the middle of the second one.
TEST_P(ActivityRecorderTest, EpochsWhoseBinsNobodyWantsHaveOne) {
  ActivityRecorder recorder(1, std::nullopt, GetParam());
  ActivitySeries& series = recorder.add_series(of_sip(0));
  for (std::int64_t i = 0; i < 3; ++i) {
    const TimeFs begin = 100_ns * i;
    recorder.launch_began(0, static_cast<std::uint64_t>(i) + 1, begin);
    series.add(busy(begin, begin + 20_ns));
    series.add(busy(begin + 40_ns, begin + 60_ns));
    recorder.launch_ended(0, static_cast<std::uint64_t>(i) + 1, begin + 60_ns);
  }
  recorder.finish(300_ns, ActivityRecorder::Window{120_ns, 130_ns});
  std::vector<std::size_t> bins;
  for (std::size_t epoch = 0; epoch < recorder.epochs().size(); ++epoch) {
    for (const Activity& activity : recorder.activities_of(epoch)) {
      EXPECT_EQ(activity.sum.busy, 40_ns);
      bins.push_back(0);
      activity.bins.for_each([&](std::uint32_t, const Bin&) { ++bins.back(); });
    }
  }
  EXPECT_EQ(bins, (std::vector<std::size_t>{1, 4, 1}));
}

TEST(ActivityRecorder, MoreSeriesHaveWiderBins) {
  EXPECT_EQ(ActivityRecorder(10).most_bins(), 512u);
  EXPECT_EQ(ActivityRecorder(1 << 20).most_bins(), 16u);
}

TEST(SeriesInfo, LabelsAreThoseOfTheStatistics) {
  topology::Graph graph;
  graph.nodes.resize(1);
  graph.nodes[0].id = "sip0.cube0.r0c0";
  EXPECT_EQ((SeriesInfo{NodeId(0), Role::wire, "to", NodeId(0)}.label(graph)), "to_sip0.cube0.r0c0");
  EXPECT_EQ((SeriesInfo{NodeId(0), Role::memory, "pc", NodeId(), 3, 0, 1, true}.label(graph)), "pc3");
  EXPECT_EQ((SeriesInfo{NodeId(0), Role::dma, "read", NodeId()}.label(graph)), "read");
}

}  // namespace
}  // namespace kb::record
