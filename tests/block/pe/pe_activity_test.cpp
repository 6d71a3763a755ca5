// What a PE was busy with, shared out moment by moment.
#include "modules/pe/pe_activity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace kb::modules {
namespace {

using contract::PeResource;
using contract::TimeShare;
using contract::TimeShares;
using Kind = PeActivity::Kind;

TEST(PeActivity, EachMomentCountsForTheFirstReasonThatHolds) {
  PeActivity pe;
  pe.begin(Kind::reading, 10);  // 0..10 nothing
  pe.translating_until(12);     // 10..12
  pe.begin(Kind::waiting, 15);  // 12..15 a transfer alone
  pe.begin(Kind::fetch, 20);    // 15..20 one waits
  pe.end(Kind::waiting, 24);    // 20..24 one waits still, whatever FETCH does
  pe.begin(Kind::compute, 30);  // 24..30 FETCH beside a transfer
  pe.begin(Kind::queue_full, 33);
  pe.end(Kind::compute, 40);     // 30..40
  pe.end(Kind::queue_full, 47);  // 40..47
  pe.end(Kind::fetch, 47);
  pe.end(Kind::reading, 47);
  pe.begin(Kind::scalar, 50);  // 47..50 nothing
  const TimeShares shares = pe.until(60);
  EXPECT_EQ(shares.of(TimeShare::tlb), 2);
  EXPECT_EQ(shares.of(TimeShare::dma), 3);
  EXPECT_EQ(shares.of(TimeShare::channel_busy), 9);
  EXPECT_EQ(shares.of(TimeShare::tcm), 6);
  EXPECT_EQ(shares.of(TimeShare::compute), 10);
  EXPECT_EQ(shares.of(TimeShare::queue_full), 7);
  EXPECT_EQ(shares.of(TimeShare::scalar), 10);
  EXPECT_EQ(shares.of(TimeShare::dependency), 13);
  EXPECT_EQ(shares.total(), 60);
  EXPECT_EQ(shares.of(PeResource::read_channel), 37);
  EXPECT_EQ(shares.of(PeResource::tcm_read), 27);
}

TEST(PeActivity, ChannelsCountPerChannel) {
  PeActivity pe;
  pe.set_channels(2, 1);
  pe.begin(Kind::reading, 0);
  pe.begin(Kind::reading, 10);
  pe.end(Kind::reading, 20);
  pe.end(Kind::reading, 20);
  EXPECT_EQ(pe.until(20).of(PeResource::read_channel), (10 + 20) / 2);
}

// Random begins and ends: the parts always add up to the time, and a window is the difference of two accounts.
RC_GTEST_PROP(PeActivity, PartsAddUpToTheTime, ()) {
  PeActivity pe;
  std::map<Kind, int> open;
  TimeFs now = 0, from = 0;
  TimeShares before;
  const int steps = *rc::gen::inRange(1, 60);
  for (int i = 0; i < steps; ++i) {
    now += *rc::gen::inRange(0, 5);
    const auto kind = static_cast<Kind>(*rc::gen::inRange(0, 8));
    if (*rc::gen::arbitrary<bool>() && open[kind] > 0) {
      --open[kind];
      pe.end(kind, now);
    } else {
      ++open[kind];
      pe.begin(kind, now);
    }
    if (*rc::gen::inRange(0, 4) == 0) pe.translating_until(now + *rc::gen::inRange(0, 8));
    if (i == steps / 2) {
      before = pe.until(now);
      from = now;
    }
  }
  TimeShares window = pe.until(now);
  RC_ASSERT(window.total() == now);
  window -= before;
  RC_ASSERT(window.total() == now - from);
  for (const TimeFs part : window.time) RC_ASSERT(part >= 0);
}

TEST(TimeShares, TheLimiterIsRatherAWireThanAChannelThatWaitsForIt) {
  TimeShares shares;
  const auto set = [&](PeResource resource, TimeFs busy) { shares.busy[static_cast<std::size_t>(resource)] = busy; };
  set(PeResource::read_channel, 1000);
  set(PeResource::read_link, 949);
  EXPECT_EQ(shares.limiter(), PeResource::read_channel);
  set(PeResource::read_link, 950);
  EXPECT_EQ(shares.limiter(), PeResource::read_link);
  set(PeResource::compute, 1200);
  EXPECT_EQ(shares.limiter(), PeResource::compute);
}

}  // namespace
}  // namespace kb::modules
