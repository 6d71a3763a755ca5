// One HBM controller alone, step by step.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "tests/block/cube/hbm_memory.h"
#include "tests/support/own_process.h"

namespace kb::test {
namespace {

using payload::Leg;
using payload::Op;
using payload::Transaction;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(HbmCtrl, AStreamOfOneFlitPerNanosecondJustSaturatesEightChannels) {  // C-HBM-16
  Memory m;
  Transaction& t = m.write(64 * 256, 0, ns(10), ns(1));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(t.delivered, ns(10 + 63 + 8));  // no burst had to wait
  EXPECT_THAT(m.answer(t), ElementsAre(t.delivered + kHop));
  EXPECT_THAT(m.channels(), ElementsAre(ns(74), ns(75), ns(76), ns(77), ns(78), ns(79), ns(80), ns(81)));
}

TEST(HbmCtrl, AFasterStreamWaitsForTheChannels) {  // C-HBM-16
  Memory m;
  Transaction& t = m.write(64 * 256, 0, ns(10), ns(0.5));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(t.delivered, ns(10 + 7 * 0.5 + 8 * 8));  // eight bursts in a row on each channel
}

TEST(HbmCtrl, EightBurstsOfStride256UseEightChannels) {  // C-HBM-7, C-HBM-16
  Memory m;
  for (std::uint64_t i = 0; i < 8; ++i) m.write(256, i * 256, ns(10), 0_fs);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_THAT(m.channels(), Each(ns(18)));
}

TEST(HbmCtrl, AccessesToOneAddressSerialise) {  // C-HBM-16
  Memory m;
  std::vector<Transaction*> writes;
  for (int i = 0; i < 8; ++i) writes.push_back(&m.write(256, 3 * 256, ns(10), 0_fs));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(writes[i]->delivered, ns(18 + 8 * static_cast<double>(i)));
  EXPECT_THAT(m.channels(), ElementsAre(0_fs, 0_fs, 0_fs, ns(74), 0_fs, 0_fs, 0_fs, 0_fs));
}

TEST(HbmCtrl, AlignedTransfersStartedTogetherCollideChannelByChannel) {  // C-HBM-16
  Memory m;
  Transaction& first = m.write(2 * kKiB, 0, ns(10), 0_fs);
  Transaction& second = m.write(2 * kKiB, 2 * kKiB, ns(10), 0_fs);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(first.delivered, ns(18));
  EXPECT_EQ(second.delivered, ns(26));
  EXPECT_THAT(m.channels(), Each(ns(26)));
}

TEST(HbmCtrl, BurstBytesMoveTheChannelField) {  // C-HBM-3, C-HBM-7, C-HBM-16
  Shape shape;
  shape.burst_bytes = 512;
  Memory m(shape);
  m.write(512, 512, ns(10), 0_fs);
  m.write(512, 256 + 3 * 512, ns(10), 0_fs);  // bits [8:0] lie inside the burst
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_THAT(m.channels(), ElementsAre(0_fs, ns(26), 0_fs, ns(26), 0_fs, 0_fs, 0_fs, 0_fs));  // 512 B take 16 ns
}

TEST(HbmCtrl, APartialBurstIsChargedInFull) {  // C-HBM-8
  Memory m;
  Transaction& t = m.write(256 + 1, 0, ns(10), ns(1));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(t.delivered, ns(11 + 8));
}

TEST(HbmCtrl, SingleFlitTransactionsOnDifferentChannelsFinishTogether) {  // acceptance 1, C-HBM-10
  Memory m;
  Transaction& a = m.write(256, 0, ns(10), 0_fs);
  Transaction& b = m.write(256, 256, ns(10), 0_fs);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(a.delivered, ns(18));
  EXPECT_EQ(b.delivered, ns(18));
  EXPECT_EQ(m.answer(a), m.answer(b));
}

TEST(HbmCtrl, SwitchPenaltyIsPaidPerAlternationOnAChannel) {  // acceptance 2, C-HBM-8
  Shape shape;
  shape.switch_penalty_ns = 3.0;
  Memory m(shape);
  Transaction& w1 = m.write(256, 0, ns(10), 0_fs);
  Transaction& r1 = m.read(256, 0, ns(11));
  Transaction& w2 = m.write(256, 0, ns(12), 0_fs);
  Transaction& w3 = m.write(256, 0, ns(13), 0_fs);
  Transaction& other = m.write(256, 256, ns(14), 0_fs);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(w1.delivered, ns(18));
  EXPECT_THAT(m.answer(r1), ElementsAre(ns(18 + 3 + 8 + 1) + kHop));
  EXPECT_EQ(w2.delivered, ns(29 + 3 + 8));
  EXPECT_EQ(w3.delivered, ns(40 + 8));     // same direction: none
  EXPECT_EQ(other.delivered, ns(14 + 8));  // a channel of its own: none
}

TEST(HbmCtrl, AChannelTurnsWhileItIsIdle) {  // C-HBM-8
  Shape shape;
  shape.switch_penalty_ns = 3.0;
  Memory m(shape);
  m.write(256, 0, ns(10), 0_fs);               // until 18
  Transaction& soon = m.read(256, 0, ns(20));  // from 21 to 29
  Transaction& late = m.write(256, 0, ns(40), 0_fs);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_THAT(m.answer(soon), ElementsAre(ns(21 + 8 + 1) + kHop));
  EXPECT_EQ(late.delivered, ns(48));
}

TEST(HbmCtrl, WithoutAPenaltyReadsAndWritesStillShareTheChannel) {  // C-HBM-5
  Memory m;
  Transaction& w = m.write(256, 0, ns(10), 0_fs);
  Transaction& r = m.read(256, 0, ns(10.5));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(w.delivered, ns(18));
  EXPECT_THAT(m.answer(r), ElementsAre(ns(18 + 8 + 1) + kHop));
}

TEST(HbmCtrl, ReadsArePacedByTheReturnEdgeInOrderOfTheCommands) {  // C-HBM-11, read issuer
  Memory m;
  Transaction& first = m.read(4 * 256, 0, ns(10));
  Transaction& second = m.read(2 * 256, 4 * 256, ns(10));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  const TimeFs wire = ns(1) + kHop;
  EXPECT_THAT(m.answer(first), ElementsAre(ns(18) + wire, ns(19) + wire, ns(20) + wire, ns(21) + wire));
  EXPECT_THAT(m.answer(second), ElementsAre(ns(22) + wire, ns(23) + wire));  // behind a small read, which waits for it
}

TEST(HbmCtrl, ReadPaceFollowsTheBandwidthOfTheReturnEdge) {  // C-HBM-11
  Shape shape;
  shape.return_bw_gbs = 64.0;
  Memory m(shape);
  Transaction& t = m.read(3 * 256, 0, ns(10));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_THAT(m.answer(t), ElementsAre(ns(22) + kHop, ns(26) + kHop, ns(30) + kHop));
  EXPECT_THAT(m.channels(), ElementsAre(ns(18), ns(22), ns(26), 0_fs, 0_fs, 0_fs, 0_fs, 0_fs));
}

TEST(HbmCtrl, AFlitOfAReadWaitsForItsPredecessors) {  // returned in order
  Memory m;
  m.write(256, 0, ns(9), 0_fs);
  m.write(256, 0, ns(9), 0_fs);  // channel 0 is busy until 25
  Transaction& t = m.read(3 * 256, 0, ns(10));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_THAT(m.answer(t), ElementsAre(ns(34) + kHop, ns(35) + kHop, ns(36) + kHop));
  EXPECT_THAT(m.channels(), ElementsAre(ns(33), ns(19), ns(20), 0_fs, 0_fs, 0_fs, 0_fs, 0_fs));
}

TEST(HbmCtrl, OverheadIsPaidOncePerTransaction) {  // C-HBM-9, C-HBM-11
  Shape shape;
  shape.overhead_ns = 2.0;
  Memory m(shape);
  Transaction& w = m.write(4 * 256, 0, ns(10), ns(1));
  Transaction& r = m.read(256, 7 * 256, ns(10));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(w.delivered, ns(13 + 8));  // enters at 12, 12, 12, 13
  EXPECT_THAT(m.channels(), ElementsAre(ns(20), ns(20), ns(20), ns(21), 0_fs, 0_fs, 0_fs, ns(20)));
  EXPECT_THAT(m.answer(r), ElementsAre(ns(21) + kHop));
}

// The second write waits for the decoder, so that the read comes before it after all.
TEST(HbmCtrl, AHeaderThatIsTakenBackIsDecodedOnce) {  // C-HBM-9
  Shape shape;
  shape.overhead_ns = 2.0;
  Memory m(shape);
  Transaction& first = m.write(256, 0, ns(10), 0_fs);
  Transaction& second = m.write(256, 256, ns(10), 0_fs);
  Transaction& read = m.read(256, 512, ns(11));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(first.delivered, ns(12 + 8));
  EXPECT_EQ(second.delivered, ns(14 + 8));
  EXPECT_THAT(m.answer(read), ElementsAre(ns(13 + 8 + 1) + kHop));
}

TEST(HbmCtrl, RolledBackWritesCommitOnlyWhenTheyArrive) {  // SHORTEN
  Memory m;
  Transaction& t = m.write(8 * 256, 0, ns(10), ns(1));
  m.fixture.scripted(m.router).postpone(ns(13.5), t, Leg::request, 4, ns(20), ns(15));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_THAT(m.channels(), ElementsAre(ns(18), ns(19), ns(20), ns(21), ns(42), ns(43), ns(44), ns(45)));
  EXPECT_EQ(t.delivered, ns(45));
  EXPECT_THAT(m.answer(t), ElementsAre(ns(45) + kHop));
}

class At final : public elab::EventHandler {
 public:
  At(FabricFixture& fixture, TimeFs at, std::function<void()> action) : action_(std::move(action)) {
    fixture.platform().scheduler().schedule(at, *this);
  }
  void on_event(TimeFs, std::uint64_t) override { action_(); }

 private:
  std::function<void()> action_;
};

// A finished transaction begins again for another address while bursts that came after its own are still planned.
TEST(HbmCtrl, AReusedTransactionDoesNotMoveItsOldBursts) {  // C-HBM-15
  Memory m;
  Transaction& first = m.write(256, 3 * 256, ns(10), 0_fs);
  m.read(64 * 256, 0, ns(10));
  const At reuse(m.fixture, ns(40), [&] { first.hbm_offset = 0; });
  Transaction& late = m.make(Op::write, 256, 7 * 256);
  m.fixture.scripted(m.router).send(ns(49), late, Leg::request, 0, 1, ns(50), 0_fs);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(late.delivered, ns(65));  // behind burst 39 of the read, which ends at 57
  EXPECT_THAT(m.channels(), ElementsAre(ns(74), ns(75), ns(76), ns(82), ns(78), ns(79), ns(80), ns(89)));
}

TEST(HbmCtrlWaves, ShowWhenABurstOccupiesItsChannelAndWhatWaits) {  // C-HBM-8
  Shape shape;
  shape.switch_penalty_ns = 3.0;
  Memory m(shape);
  m.write(256, 0, ns(10), 0_fs);
  m.read(256, 0, ns(11));         // turns the channel from 18 to 21
  m.write(256, 0, ns(12), 0_fs);  // and this one from 29 to 32
  m.write(256, 256, ns(14), 0_fs);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  m.fixture.end();
  EXPECT_EQ(m.busy(0), (Memory::Edges{{ns(10), 1}, {ns(18), 0}, {ns(21), 1}, {ns(29), 0}, {ns(32), 1}, {ns(40), 0}}));
  EXPECT_EQ(m.queue(0), (Memory::Edges{{ns(11), 1}, {ns(12), 2}, {ns(21), 1}, {ns(32), 0}}));
  EXPECT_EQ(m.busy(1), (Memory::Edges{{ns(14), 1}, {ns(22), 0}}));
  EXPECT_THAT(m.queue(1), IsEmpty());
  EXPECT_THAT(m.busy(2), IsEmpty());
}

// A read of 64 bursts is planned as one run. The second write comes unannounced, after bursts behind it were planned.
TEST(HbmCtrlWaves, AreTrueForRunsThatArePlannedAheadAndTakenBack) {
  Memory m;
  m.write(256, 3 * 256, ns(10), 0_fs);
  m.read(64 * 256, 0, ns(10));
  Transaction& late = m.make(Op::write, 256, 7 * 256);
  m.fixture.scripted(m.router).send(ns(49), late, Leg::request, 0, 1, ns(50), 0_fs);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  m.fixture.end();
  EXPECT_EQ(m.busy(0), (Memory::Edges{{ns(10), 1}, {ns(74), 0}}));  // eight bursts without a gap
  EXPECT_THAT(m.queue(0), IsEmpty());
  EXPECT_EQ(m.busy(3), (Memory::Edges{{ns(10), 1}, {ns(82), 0}}));
  Memory::Edges queue;
  for (int burst = 0; burst < 8; ++burst) {  // each waits five ns for its predecessor
    queue.push_back({ns(13 + 8 * burst), 1});
    queue.push_back({ns(18 + 8 * burst), 0});
  }
  EXPECT_EQ(m.queue(3), queue);
  EXPECT_EQ(m.busy(7), (Memory::Edges{{ns(17), 1}, {ns(89), 0}}));
  EXPECT_EQ(m.queue(7), (Memory::Edges{{ns(50), 1}, {ns(81), 0}}));  // one starts as the next enters
}

TEST(HbmCtrl, NamesTheReadsThatWaitByWhatWasAsked) {
  Memory m;
  for (int i = 0; i < 200; ++i) m.read(64 * 256, 0, ns(10));  // more than are planned at once
  m.fixture.platform().scheduler().set_time_limit(ns(10.5));
  m.fixture.run();
  const std::vector<elab::WaitInfo> waits = m.fixture.platform().waits();
  ASSERT_FALSE(waits.empty());
  EXPECT_EQ(waits.back().who, "hbm");
  EXPECT_EQ(waits.back().what, "bursts of read of 16 KiB at 0x0 by router");
  EXPECT_EQ(waits.back().since, ns(10));
}

TEST(HbmCtrl, AccessLatencyIsPipelined) {  // C-HBM-12
  Shape shape;
  shape.access_ns = 34.0;
  Memory m(shape);
  Transaction& read = m.read(4 * 256, 0, ns(10));
  Transaction& write = m.write(256, 7 * 256, ns(10), 0_fs);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_THAT(m.answer(read), ElementsAre(ns(53) + kHop, ns(54) + kHop, ns(55) + kHop, ns(56) + kHop));
  EXPECT_EQ(write.delivered, ns(18));
  EXPECT_EQ(m.channels()[3], ns(13 + 8));
}

// 40 of 64 B, 32 of 32 B: each its part of the slot and of the channel.
TEST(HbmCtrl, APartOfABurstCostsItsPart) {  // C-HBM-8, access_bytes
  Shape shape;
  shape.access_bytes = 32;
  Memory m(shape);
  Transaction& write = m.write(256 + 40, 0, ns(10), 0_fs);
  Transaction& first = m.read(32, 4 * 256, ns(10));
  Transaction& second = m.read(32, 4 * 256, ns(10));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(write.delivered, ns(18));
  EXPECT_THAT(m.answer(first), ElementsAre(ns(11.125) + kHop));
  EXPECT_THAT(m.answer(second), ElementsAre(ns(12.125) + kHop));
  EXPECT_THAT(m.channels(), ElementsAre(ns(18), ns(12), 0_fs, 0_fs, ns(12), 0_fs, 0_fs, 0_fs));
}

// Bursts at a pitch of the channel count share one channel; folded they use all.
TEST(HbmCtrl, AHashSpreadsPowerOfTwoPitches) {  // A-22, channel_hash
  for (const bool hash : {false, true}) {
    EXPECT_TRUE(in_own_process([&] {
      Shape shape;
      shape.channel_hash = hash ? "xor" : "none";
      Memory m(shape);
      for (std::uint64_t i = 0; i < 8; ++i) m.write(256, i * 8 * 256, ns(10), 0_fs);
      if (!m.fixture.run().empty()) return false;
      const std::vector<TimeFs> free = m.channels();
      return std::all_of(free.begin(), free.end(), [&](TimeFs t) { return t == (hash ? ns(18) : free[1]); }) == hash &&
             (hash || free[0] == ns(74));
    }));
  }
}

TEST(HbmCtrl, RefusesMessages) {
  Memory m;
  Transaction& t = m.make(Op::message, 0, 0);
  m.fixture.scripted(m.router).send_message(t, Leg::request, ns(10));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(t.status.code, "UNSUPPORTED_REQUEST");
  EXPECT_THAT(m.answer(t), ElementsAre(ns(10) + kHop));
}

}  // namespace
}  // namespace kb::test
