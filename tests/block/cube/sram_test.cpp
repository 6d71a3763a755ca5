#include "modules/cube/sram.h"

#include <gmock/gmock.h>

#include "modules/kit/fabric_fixture.h"

namespace kb::test {
namespace {

using payload::Leg;
using payload::Op;
using payload::Transaction;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr TimeFs kHop = 1_fs;
constexpr TimeFs ns(double value) {
  return TimeFs(static_cast<std::int64_t>(value * 1e6));
}

struct SharedMemory {
  SharedMemory() {
    router = fixture.add_scripted("router");
    sram = fixture.add("sram", topology::NodeKind::sram, "builtin.sram", {{"overhead_ns", 2.0}});
    fixture.link(router, sram, 128.0, 128.0);  // 2 ns per flit
    fixture.start();
  }
  Transaction& make(Op op, std::uint64_t bytes) { return fixture.transaction(op, {router, sram}, bytes); }
  void write(Transaction& t, TimeFs at) {
    fixture.scripted(router).send(at, t, Leg::request, 0, t.flits, at + kHop, 0_fs);
  }
  void read(Transaction& t, TimeFs arrival) { fixture.scripted(router).send_message(t, Leg::request, arrival); }
  std::vector<TimeFs> answers() { return fixture.times(sram, router); }

  FabricFixture fixture;
  NodeId router, sram;
};

TEST(Sram, AWriteOf32KiBTakesTheTimeOfItsLink) {  // acceptance 12, C-SRAM-4
  SharedMemory m;
  Transaction& t = m.make(Op::write, 32 * kKiB);
  m.write(t, 0_fs);
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_GE(t.delivered, ns(256));
  EXPECT_EQ(t.delivered, ns(256) + kHop + ns(2));  // link time once, then the overhead once
  EXPECT_THAT(m.answers(), ElementsAre(t.delivered + kHop));
  EXPECT_TRUE(t.status.ok);
}

TEST(Sram, AReadOf32KiBTakesTheTimeOfItsLink) {  // acceptance 12, F-77: data once, on the way back
  SharedMemory m;
  Transaction& t = m.make(Op::read, 32 * kKiB);
  m.read(t, ns(10));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  const std::vector<TimeFs> flits = m.answers();
  ASSERT_EQ(flits.size(), 128u);
  for (std::size_t i = 0; i < flits.size(); ++i) {
    EXPECT_EQ(flits[i], ns(10) + ns(2) + ns(2) * (i + 1) + kHop);
  }
}

TEST(Sram, ServesOneTransactionAtATime) {  // C-SRAM-4
  SharedMemory m;
  for (int i = 0; i < 3; ++i) m.read(m.make(Op::read, 64), ns(10));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  // Served until 12, 14 and 16; 64 bytes take 0.5 ns on the link.
  EXPECT_THAT(m.answers(), ElementsAre(ns(12.5) + kHop, ns(14.5) + kHop, ns(16.5) + kHop));
}

TEST(Sram, AWriteIsServedInTurnOnceAllOfItIsHere) {  // store and forward, C-SRAM-4
  SharedMemory m;
  Transaction& first = m.make(Op::read, 256);
  Transaction& second = m.make(Op::read, 256);
  Transaction& write = m.make(Op::write, 256);
  Transaction& behind = m.make(Op::read, 256);
  m.read(first, ns(10));   // served 10 .. 12
  m.read(second, ns(10));  // 12 .. 14
  m.write(write, ns(10));  // here at 12, served 14 .. 16
  m.read(behind, ns(13));  // 16 .. 18
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(write.delivered, ns(16));
  EXPECT_THAT(m.answers(), ElementsAre(ns(14) + kHop, ns(16) + kHop, ns(16) + kHop, ns(20) + kHop));
  std::vector<std::uint64_t> order;
  for (const Arrival& a : m.fixture.checker().arrivals(m.sram, m.router)) order.push_back(a.transaction);
  EXPECT_THAT(order, ElementsAre(first.id, second.id, write.id, behind.id));
}

TEST(Sram, ACommandQueuesBehindTheFlitsOfAWriteOnTheWire) {  // F-30
  SharedMemory m;
  Transaction& write = m.make(Op::write, 1024);
  Transaction& read = m.make(Op::read, 256);
  m.write(write, 0_fs);  // on the wire until 8
  m.read(read, ns(2));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_EQ(write.delivered, ns(10) + kHop);
  EXPECT_THAT(m.answers(), ElementsAre(ns(10) + 2 * kHop, ns(14) + 2 * kHop));
}

TEST(Sram, RefusesMessages) {
  SharedMemory m;
  Transaction& t = m.make(Op::message, 0);
  m.read(t, ns(10));
  EXPECT_THAT(m.fixture.run(), IsEmpty());
  EXPECT_THAT(m.answers(), ElementsAre(ns(12) + kHop));
  EXPECT_FALSE(t.status.ok);
  EXPECT_EQ(t.status.code, "UNSUPPORTED_REQUEST");
}

}  // namespace
}  // namespace kb::test
