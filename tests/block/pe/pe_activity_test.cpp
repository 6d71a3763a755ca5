// What a PE was busy with, shared out moment by moment.
#include "modules/pe/pe_activity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <map>
#include <vector>

#include "platform/contract/share_words.h"
#include "platform/record/usage_log.h"

namespace kb::modules {
namespace {

using contract::PeResource;
using contract::TimeShare;
using contract::TimeShares;
using engine::EngineId;
using Kind = PeActivity::Kind;

TEST(PeActivity, EachMomentCountsForTheFirstReasonThatHolds) {
  PeActivity pe;
  pe.begin(Kind::reading, 10_fs);   // 0..10 nothing
  pe.translating_until(12_fs);      // 10..12
  pe.begin(Kind::waiting, 15_fs);   // 12..15 a transfer alone
  pe.begin(Kind::fetch, 20_fs);     // 15..20 one waits
  pe.end(Kind::waiting, 24_fs);     // 20..24 one waits still, whatever FETCH does
  pe.begin(EngineId::math, 30_fs);  // 24..30 FETCH beside a transfer
  pe.begin(EngineId::gemm, 32_fs);  // 30..32 PE_MATH alone
  pe.begin(Kind::queue_full, 33_fs);
  pe.end(EngineId::math, 35_fs);
  pe.end(EngineId::gemm, 40_fs);    // 32..40 PE_GEMM, whatever PE_MATH does
  pe.end(Kind::queue_full, 47_fs);  // 40..47
  pe.end(Kind::fetch, 47_fs);
  pe.end(Kind::reading, 47_fs);
  pe.begin(Kind::scalar, 50_fs);  // 47..50 nothing
  const TimeShares shares = pe.until(60_fs);
  EXPECT_EQ(shares.of(TimeShare::tlb), 2_fs);
  EXPECT_EQ(shares.of(TimeShare::dma), 3_fs);
  EXPECT_EQ(shares.of(TimeShare::channel_busy), 9_fs);
  EXPECT_EQ(shares.of(TimeShare::tcm), 6_fs);
  EXPECT_EQ(shares.of(EngineId::math), 2_fs);
  EXPECT_EQ(shares.of(EngineId::gemm), 8_fs);
  EXPECT_EQ(shares.computing(), 10_fs);
  EXPECT_EQ(shares.of(PeResource::compute), 10_fs);
  EXPECT_EQ(shares.of(TimeShare::queue_full), 7_fs);
  EXPECT_EQ(shares.of(TimeShare::scalar), 10_fs);
  EXPECT_EQ(shares.of(TimeShare::dependency), 13_fs);
  EXPECT_EQ(shares.total(), 60_fs);
  EXPECT_EQ(shares.of(PeResource::read_channel), 37_fs);
  EXPECT_EQ(shares.of(PeResource::tcm_read), 27_fs);
}

TEST(PeActivity, ChannelsCountPerChannel) {
  PeActivity pe;
  pe.set_channels(2, 1);
  pe.begin(Kind::reading, 0_fs);
  pe.begin(Kind::reading, 10_fs);
  pe.end(Kind::reading, 20_fs);
  pe.end(Kind::reading, 20_fs);
  EXPECT_EQ(pe.until(20_fs).of(PeResource::read_channel), (10_fs + 20_fs) / 2);
}

// A PE whose kernel runs from the start, and what it records.
struct RecordedPe {
  PeActivity pe;

  RecordedPe() {
    PeActivity::Series to;
    for (std::size_t i = 0; i < contract::kShares; ++i) to.shares.push_back(&series.emplace_back(group));
    // FETCH and STORE tell their series by themselves, with the bytes.
    for (record::RecordedResource* const one : {&to.compute, &to.read_channel, &to.write_channel}) {
      *one = {&series.emplace_back(group), &accounts.emplace_back()};
    }
    pe.record_in(to);
    pe.set_running(true, 0_fs);
  }
  // What was recorded, in the order of the series.
  std::vector<TimeFs> busy_times() {
    log.finish();
    std::vector<TimeFs> busy(series.size());
    for (const std::vector<record::Activity>& epoch : group.activities) {
      for (const record::Activity& activity : epoch) busy[activity.series] += activity.sum.busy;
    }
    return busy;
  }

 private:
  record::UsageLog log;
  record::SeriesGroup group{log, record::EpochList(512), {}};
  std::deque<record::ActivitySeries> series;

 public:
  std::deque<account::ResourceAccount> accounts;  // of the engines and the channels
};

// Commands of two lines, in turn and at once.
TEST(PeActivity, ResourcesAreUsedForThePlaceOfTheCommand) {
  RecordedPe recorded;
  PeActivity& pe = recorded.pe;
  constexpr account::PlaceId kFirst{1}, kSecond{2};
  pe.held_channel(Kind::reading, kFirst, {25_fs, 3_fs, 64, 1});
  pe.held_channel(Kind::reading, kSecond, {7_fs, 0_fs, 32, 1});
  pe.held_channel(Kind::reading, kFirst, {5_fs, 1_fs, 64, 1});
  pe.begin(EngineId::gemm, 10_fs, kFirst);
  pe.end(EngineId::gemm, 20_fs);
  pe.begin(EngineId::math, 20_fs, kSecond);
  pe.begin(EngineId::gemm, 23_fs, kFirst);  // computes at once: the PE computes for the first engine
  pe.end(EngineId::math, 30_fs);
  pe.end(EngineId::gemm, 31_fs);
  for (account::ResourceAccount& account : recorded.accounts) account.finish();
  const auto& computing = recorded.accounts[0].rows();
  ASSERT_EQ(computing.size(), 2u);
  EXPECT_EQ(computing[0].sums.busy, 18_fs);
  EXPECT_EQ(computing[1].sums.busy, 3_fs);
  const auto& reading = recorded.accounts[1].rows();
  ASSERT_EQ(reading.size(), 2u);
  EXPECT_EQ(reading[0].place, kFirst);
  EXPECT_EQ(reading[0].sums.busy, 30_fs);
  EXPECT_EQ(reading[0].sums.wait, 4_fs);
  EXPECT_EQ(reading[0].sums.bytes, 128u);
  EXPECT_EQ(reading[1].place, kSecond);
  EXPECT_EQ(reading[1].sums.busy, 7_fs);
}

// Random begins and ends: the parts always add up to the time, a window is the difference of two accounts, and what is
// recorded is the same.
RC_GTEST_PROP(PeActivity, PartsAddUpToTheTime, ()) {
  RecordedPe recorded;
  PeActivity& pe = recorded.pe;
  std::map<int, int> open;  // engines, then kinds
  TimeFs now = 0_fs, from = 0_fs;
  TimeShares before;
  const int steps = *rc::gen::inRange(1, 60);
  for (int i = 0; i < steps; ++i) {
    now += *rc::gen::inRange(0, 5) * 1_fs;
    constexpr int kEngines = 3;  // one of a plug-in
    const int what = *rc::gen::inRange(0, kEngines + static_cast<int>(PeActivity::kKinds));
    const auto change = [&](const auto& which) {
      if (*rc::gen::arbitrary<bool>() && open[what] > 0) {
        --open[what];
        pe.end(which, now);
      } else {
        ++open[what];
        pe.begin(which, now);
      }
    };
    what < kEngines ? change(static_cast<EngineId>(what)) : change(static_cast<Kind>(what - kEngines));
    if (*rc::gen::inRange(0, 4) == 0) pe.translating_until(now + *rc::gen::inRange(0, 8) * 1_fs);
    if (i == steps / 2) {
      before = pe.until(now);
      from = now;
    }
  }
  TimeShares window = pe.until(now);
  RC_ASSERT(window.total() == now);
  std::vector<TimeFs> expected(window.time.begin(), window.time.end());
  for (const PeResource resource : {PeResource::compute, PeResource::read_channel, PeResource::write_channel}) {
    expected.push_back(window.of(resource));
  }
  RC_ASSERT(recorded.busy_times() == expected);
  window -= before;
  RC_ASSERT(window.total() == now - from);
  for (const TimeFs part : window.time) RC_ASSERT(part >= 0_fs);
}

TEST(TimeShares, TheLimiterIsRatherAWireThanAChannelThatWaitsForIt) {
  TimeShares shares;
  const auto set = [&](PeResource resource, TimeFs busy) { shares.busy[static_cast<std::size_t>(resource)] = busy; };
  set(PeResource::read_channel, 1000_fs);
  set(PeResource::read_link, 949_fs);
  EXPECT_EQ(shares.limiter(), PeResource::read_channel);
  set(PeResource::read_link, 950_fs);
  EXPECT_EQ(shares.limiter(), PeResource::read_link);
  set(PeResource::compute, 1200_fs);
  EXPECT_EQ(shares.limiter(), PeResource::compute);
}

}  // namespace
}  // namespace kb::modules
