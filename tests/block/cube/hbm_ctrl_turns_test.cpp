// The HBM controller with several requesters and with a port for each channel.
#include <gmock/gmock.h>

#include "tests/block/cube/hbm_memory.h"

namespace kb::test {
namespace {

using payload::Transaction;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

Shape with_requesters(std::size_t count) {
  Shape shape;
  shape.requesters = count;
  return shape;
}

// A short read has its slot next to the one in progress, however much the other has still to read. Its channel is full
// from then on: the other's bursts there are seven ns later, and what comes behind them too.
TEST(HbmCtrlTurns, AShortReadDoesNotWaitForALongOne) {  // C-HBM-11
  Memory m(with_requesters(2));
  Transaction& large = m.read_by(0, 1 * kMiB, 0, ns(10));
  Transaction& small = m.read_by(1, 256, 2 * 256, ns(20.5));  // slot 21; the channel has burst 10 from 20 to 28
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_THAT(m.answer(small), ElementsAre(ns(28 + 8 + 1) + kHop));
  const double burst_4090 = 10 + 4090 + 1 + 7 + 8;
  EXPECT_EQ(m.answer(large).back(), ns(burst_4090 + 6) + kHop);
}

TEST(HbmCtrlTurns, InTheOrderOfArrivalAShortReadWaits) {  // read_order: arrival
  Shape shape = with_requesters(2);
  shape.read_order = "arrival";
  Memory m(shape);
  Transaction& large = m.read_by(0, 1 * kMiB, 0, ns(10));
  Transaction& small = m.read_by(1, 256, 2 * 256, ns(20.5));  // slot 4106; burst 4090 has its channel until 4108
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(m.answer(large).back(), ns(10 + 4095 + 8 + 1) + kHop);
  EXPECT_THAT(m.answer(small), ElementsAre(ns(4108 + 8 + 1) + kHop));
}

// Each has one slot of three; who joins comes behind those who are there, and its own commands go one after the other.
TEST(HbmCtrlTurns, RequestersTakeTurns) {  // C-HBM-11
  Shape shape = with_requesters(3);
  shape.return_bw_gbs = 32.0;  // slots as long as bursts, so that channels are always free
  Memory m(shape);
  Transaction& a = m.read_by(0, 3 * 256, 0, ns(10));  // slots 10, 18, 42
  Transaction& b = m.read_by(1, 2 * 256, 0, ns(17));  // slots 26, 50
  Transaction& c = m.read_by(2, 256, 0, ns(18));      // slot 34: it opens at the time of a slot of `a`, before it
  Transaction& b2 = m.read_by(1, 256, 0, ns(19));     // slot 58
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  const auto data = [](double slot) { return ns(slot + 8 + 8) + kHop; };
  EXPECT_THAT(m.answer(a), ElementsAre(data(10), data(18), data(42)));
  EXPECT_THAT(m.answer(b), ElementsAre(data(26), data(50)));
  EXPECT_THAT(m.answer(c), ElementsAre(data(34)));
  EXPECT_THAT(m.answer(b2), ElementsAre(data(58)));
}

// Two streams that meet on every channel: the second begins when the first has left channel 0, and both run at full
// rate.
TEST(HbmCtrlTurns, ASlotGoesWhereAChannelIsFree) {  // C-HBM-11
  Memory m(with_requesters(2));
  Transaction& a = m.read_by(0, 16 * 256, 0, ns(10));  // slots 10 .. 17, 26 .. 33
  Transaction& b = m.read_by(1, 16 * 256, 0, ns(10));  // slots 18 .. 25, 34 .. 41
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  std::vector<TimeFs> of_a, of_b;
  for (int i = 0; i < 16; ++i) {
    const int slot = 10 + i + (i < 8 ? 0 : 8);
    of_a.push_back(ns(slot + 8 + 1) + kHop);
    of_b.push_back(ns(slot + 8 + 8 + 1) + kHop);
  }
  EXPECT_EQ(m.answer(a), of_a);
  EXPECT_EQ(m.answer(b), of_b);
}

// Writes keep channel 2 full, the other requester finds its channels free in every slot. The small read is passed over
// for one burst time of each requester, no longer: then it queues in the channel, among the writes.
TEST(HbmCtrlTurns, NobodyIsPassedOverForLong) {  // C-HBM-11
  Shape shape = with_requesters(2);
  shape.return_bw_gbs = 128.0;  // slots of 2 ns: at 12, 14 ..
  Memory m(shape);
  for (int i = 0; i < 20; ++i) m.write(256, 2 * 256 + 2048 * static_cast<std::uint64_t>(i), ns(10.5 + 8 * i), 0_fs);
  for (int i = 0; i < 60; ++i) m.read_by(0, 256, static_cast<std::uint64_t>(3 + i % 5) * 256, ns(12));
  Transaction& small = m.read_by(1, 256, 2 * 256, ns(20));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  // Slot 36, the burst from 42.5 to 50.5 behind the write of 34.5; the data behind the flit that has the wire until 52.
  EXPECT_THAT(m.answer(small), ElementsAre(ns(54) + kHop));
}

Shape with_channel_ports() {
  Shape shape;
  shape.channel_ports = 8;
  return shape;
}

// one channel of 32 GB/s each, whatever the address says; together as fast as the ordinary port.
TEST(HbmCtrlPorts, EachHasItsChannelItsIssuerAndItsWire) {
  Memory m(with_channel_ports());
  std::vector<Transaction*> reads;
  for (std::size_t port = 1; port <= 8; ++port) reads.push_back(&m.read(8 * 256, 0, ns(10), port));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  for (const Transaction* read : reads) {
    const std::vector<TimeFs> times = m.answer(*read);
    ASSERT_EQ(times.size(), 8u);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(times[i], ns(26 + 8 * static_cast<double>(i)) + kHop);
  }
  EXPECT_THAT(m.channels(), Each(ns(74)));
}

TEST(HbmCtrlPorts, OneChannelRunsAtTheBandwidthOfAChannel) {  // contention
  Memory m(with_channel_ports());
  Transaction& first = m.read(16 * 256, 0, ns(10), 4);
  Transaction& second = m.read(16 * 256, 0, ns(10), 4);
  Transaction& other = m.read(256, 0, ns(10), 5);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(m.answer(first).back(), ns(10 + 16 * 8 + 8) + kHop);
  EXPECT_EQ(m.answer(second).back(), ns(10 + 32 * 8 + 8) + kHop);
  EXPECT_EQ(m.answer(other).back(), ns(10 + 8 + 8) + kHop);  // does not wait for them
}

// The ordinary port takes part in every channel, in order of entry; at equal times it goes first.
TEST(HbmCtrlPorts, ShareTheirChannelsWithTheOrdinaryPort) {
  Memory m(with_channel_ports());
  Transaction& bound = m.write(4 * 256, 0, ns(10), ns(8), 3);  // on channel 2
  Transaction& by_address = m.write(8 * 256, 0, ns(15), 0_fs);
  Transaction& tied = m.write(256, 5 * 256, ns(50), 0_fs, 6);
  Transaction& first = m.write(256, 5 * 256, ns(50), 0_fs);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(by_address.delivered, ns(18 + 8));
  EXPECT_EQ(bound.delivered, ns(10 + 5 * 8));
  EXPECT_EQ(first.delivered, ns(58));
  EXPECT_EQ(tied.delivered, ns(66));
  EXPECT_THAT(m.answer(tied), ElementsAre(ns(66) + kHop));
}

TEST(HbmCtrlPorts, PayTheOverheadSideBySide) {  // C-HBM-9
  Shape shape = with_channel_ports();
  shape.overhead_ns = 3.0;
  Memory m(shape);
  std::vector<Transaction*> writes;
  for (std::size_t port = 0; port <= 8; ++port) writes.push_back(&m.write(256, 0, ns(10), 0_fs, port));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  for (std::size_t port = 0; port <= 8; ++port) EXPECT_EQ(writes[port]->delivered, ns(port == 1 ? 29 : 21)) << port;
}

}  // namespace
}  // namespace kb::test
