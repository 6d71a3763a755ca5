// An HBM controller with banks, times worked out by hand. Ticks of hbm3_6400: 0.625 ns.
#include <gmock/gmock.h>

#include "tests/block/cube/hbm_memory.h"

namespace kb::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Shape banked() {
  Shape shape;
  shape.banked = true;
  shape.pc_bw_gbs = 25.6;
  shape.banks = {{"refresh", std::string("none")}};
  return shape;
}

constexpr double kTick = 0.625, kBack = 6.0;

// ACT at the first tick from arrival + front end on; the first access 31 ticks after its end (1.5 ticks, so at the next
// rising edge: 32), the last of 8 accesses 7 x 4 ticks later; data CL + BL after.
TEST(HbmBanked, AnIdleReadOpensARow_CDRAM11) {
  Memory m(banked());
  const payload::Transaction& t = m.read(256, 0, 10_ns);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  const double act = 18.125;  // 29 ticks: the first one not before 10 + 8 ns
  const TimeFs ready = ns(act + (32 + 7 * 4 + 20 + 2) * kTick + kBack);
  EXPECT_THAT(m.answer(t), ElementsAre(ready + 1_ns + kHop)) << "256 B at 256 GB/s";
}

TEST(HbmBanked, AWriteIsAcknowledgedWhenTheBankHasIt_CDRAM12) {
  Memory m(banked());
  const payload::Transaction& t = m.write(256, 0, 10_ns, 0_fs);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_THAT(m.answer(t), ElementsAre(ns(18.125 + (16 + 7 * 4 + 10 + 2) * kTick) + kHop));
}

TEST(HbmBanked, AnAcceptedWriteIsAcknowledgedOnEntry_CDRAM12) {
  Shape shape = banked();
  shape.banks["write_ack"] = std::string("accepted");
  Memory m(shape);
  const payload::Transaction& t = m.write(256, 0, 10_ns, 0_fs);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_THAT(m.answer(t), ElementsAre(ns(18.125) + kHop));
}

// An accepted write has been answered when its data are on the bus: eight accesses on each pseudo-channel, in one row.
TEST(HbmBanked, AcceptedWritesUseTheirOwnPseudoChannels_CDRAM12) {
  Shape shape = banked();
  shape.banks["write_ack"] = std::string("accepted");
  Memory m(shape);
  m.write(8 * 256, 0, 10_ns, 5_ns);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  m.fixture.end();
  for (int pc = 0; pc < 8; ++pc) EXPECT_EQ(m.busy(pc).size(), 8u * 2) << "begins and ends of pc" << pc;
}

// The second read finds the row open: it pays no tRCD.
TEST(HbmBanked, AnOpenRowIsFaster) {
  Memory m(banked());
  const payload::Transaction& t = m.read(256, 0, 10_ns);
  const payload::Transaction& hit = m.read(32, 0, 1000_ns);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  ASSERT_EQ(m.answer(t).size(), 1u);
  const double column = 1008.125;  // 1613 ticks
  EXPECT_THAT(m.answer(hit), ElementsAre(ns(column + (20 + 2) * kTick + kBack + 0.125) + kHop)) << "32 B at 256 GB/s";
}

// Two rows of one bank in turn: each access waits for the row of the one before.
TEST(HbmBanked, RowConflictsHaveTheirCause_CDRAM13) {
  Memory m(banked());
  const std::uint64_t row = 1024 * 8 * 32;  // of a pseudo-channel of 32 banks, in a slice of 8
  m.read(32, 0, 10_ns);
  m.read(32, row, 11_ns);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  const std::vector<TimeFs> waits = m.fixture.waits(m.hbm, "pc");
  ASSERT_EQ(waits.size(), dram::kCauses);
  EXPECT_GT(waits[dram::index(dram::Cause::row)], ns((45 + 26) * kTick)) << "tRAS and tRP";
  EXPECT_EQ(waits[dram::index(dram::Cause::refresh)], 0_fs);
}

// A wake decides for all channels as far ahead as it can. Eight pseudo-channels of HBM3 are read and written as fast as
// they can for 24 us: events of the scheduler, those of the script included, per burst of 256 B.
TEST(HbmBanked, ASaturatedStreamTakesFewEventsPerBurst) {
  Shape shape = banked();
  shape.banks = {};
  shape.return_bw_gbs = 8 * shape.pc_bw_gbs;
  Memory m(shape);
  constexpr std::int64_t kBytes = 1 << 16, kPairs = 32;
  constexpr TimeFs kSpacing = 2'500'000_fs;
  for (std::int64_t i = 0; i < kPairs; ++i) {
    m.read(kBytes, static_cast<std::uint64_t>(i * kBytes), 10_ns);
    m.write(kBytes, static_cast<std::uint64_t>((kPairs + i) * kBytes), 10_ns + i * kBytes / 256 * kSpacing, kSpacing);
  }
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  const double bursts = 2.0 * kPairs * kBytes / 256;
  const elab::EventScheduler& scheduler = m.fixture.platform().scheduler();
  EXPECT_GT(256 * bursts / fs_to_ns(scheduler.now()), 0.8 * 8 * shape.pc_bw_gbs) << "it is saturated";
  EXPECT_LE(static_cast<double>(scheduler.events()), 0.15 * bursts);
}

TEST(HbmBanked, RefusesMessages) {
  Memory m(banked());
  payload::Transaction& t = m.make(payload::Op::message, 0, 0);
  m.fixture.scripted(m.sources[0]).send_message(t, payload::Leg::request, 10_ns);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(t.status.code, "UNSUPPORTED_REQUEST");
  EXPECT_THAT(m.answer(t), ElementsAre(10_ns + kHop));
}

}  // namespace
}  // namespace kb::test
