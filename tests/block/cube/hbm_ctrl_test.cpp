// One HBM controller alone at a scripted router: 8 channels of 32 GB/s, 256 B bursts of 8 ns, unless stated.
#include "modules/cube/hbm_ctrl.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <tuple>

#include "tests/support/fabric_bench.h"

namespace kb::test {
namespace {

using payload::Leg;
using payload::Op;
using payload::Transaction;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr TimeFs kHop = 1;
constexpr TimeFs ns(double value) {
  return static_cast<TimeFs>(value * 1e6);
}

struct Shape {
  double overhead_ns = 0.0;
  double switch_penalty_ns = 0.0;
  std::int64_t burst_bytes = 256;
  double return_bw_gbs = 256.0;
};

struct Memory {
  explicit Memory(const Shape& s = {}) : bench(s.burst_bytes), shape(s) {
    router = bench.add_scripted("router");
    hbm = bench.add("hbm", topology::NodeKind::hbm_ctrl, "builtin.hbm_ctrl",
                    {{"num_pcs", std::int64_t{8}},
                     {"burst_bytes", s.burst_bytes},
                     {"pc_bw_gbs", 32.0},
                     {"switch_penalty_ns", s.switch_penalty_ns},
                     {"overhead_ns", s.overhead_ns}});
    bench.link(router, hbm, 0.0, s.return_bw_gbs);  // into the controller a flit arrives exactly when told
    bench.start();
  }
  Transaction& make(Op op, std::uint64_t bytes, std::uint64_t offset) {
    return bench.transaction(op, {router, hbm}, bytes, offset);
  }
  Transaction& write(std::uint64_t bytes, std::uint64_t offset, TimeFs arrival, TimeFs spacing) {
    Transaction& t = make(Op::write, bytes, offset);
    bench.scripted(router).send(0, t, Leg::request, 0, t.flits, arrival, spacing);
    return t;
  }
  Transaction& read(std::uint64_t bytes, std::uint64_t offset, TimeFs arrival) {
    Transaction& t = make(Op::read, bytes, offset);
    bench.scripted(router).send_message(t, Leg::request, arrival);
    return t;
  }
  // Arrivals of the answer to one transaction.
  std::vector<TimeFs> answer(const Transaction& t) {
    std::vector<TimeFs> times;
    for (const Arrival& a : bench.checker().arrivals(hbm, router)) {
      if (a.transaction == t.id) times.push_back(a.time);
    }
    return times;
  }
  using Edges = std::vector<Waves::Change>;
  Edges busy(int pc) const { return bench.waves().shown("hbm.pc" + std::to_string(pc) + ".busy"); }
  Edges queue(int pc) const { return bench.waves().shown("hbm.pc" + std::to_string(pc) + ".queue"); }
  std::vector<TimeFs> channels() {
    std::vector<TimeFs> free;
    for (std::size_t pc = 0; pc < 8; ++pc)
      free.push_back(bench.platform().block_as<modules::HbmCtrl>(hbm).channel_free_at(pc));
    return free;
  }

  FabricBench bench;
  Shape shape;
  NodeId router, hbm;
};

TEST(HbmCtrl, AStreamOfOneFlitPerNanosecondJustSaturatesEightChannels) {  // C-HBM-16
  Memory m;
  Transaction& t = m.write(64 * 256, 0, ns(10), ns(1));
  EXPECT_THAT(m.bench.run(), IsEmpty());
  EXPECT_EQ(t.delivered, ns(10 + 63 + 8));  // no burst had to wait
  EXPECT_THAT(m.answer(t), ElementsAre(t.delivered + kHop));
  EXPECT_THAT(m.channels(), ElementsAre(ns(74), ns(75), ns(76), ns(77), ns(78), ns(79), ns(80), ns(81)));
}

TEST(HbmCtrl, AFasterStreamWaitsForTheChannels) {  // C-HBM-16
  Memory m;
  Transaction& t = m.write(64 * 256, 0, ns(10), ns(0.5));
  EXPECT_THAT(m.bench.run(), IsEmpty());
  EXPECT_EQ(t.delivered, ns(10 + 7 * 0.5 + 8 * 8));  // eight bursts in a row on each channel
}

TEST(HbmCtrl, EightBurstsOfStride256UseEightChannels) {  // C-HBM-7, C-HBM-16
  Memory m;
  for (std::uint64_t i = 0; i < 8; ++i) m.write(256, i * 256, ns(10), 0);
  EXPECT_THAT(m.bench.run(), IsEmpty());
  EXPECT_THAT(m.channels(), Each(ns(18)));
}

TEST(HbmCtrl, AccessesToOneAddressSerialise) {  // C-HBM-16
  Memory m;
  std::vector<Transaction*> writes;
  for (int i = 0; i < 8; ++i) writes.push_back(&m.write(256, 3 * 256, ns(10), 0));
  EXPECT_THAT(m.bench.run(), IsEmpty());
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(writes[i]->delivered, ns(18 + 8 * static_cast<double>(i)));
  EXPECT_THAT(m.channels(), ElementsAre(0, 0, 0, ns(74), 0, 0, 0, 0));
}

TEST(HbmCtrl, AlignedTransfersStartedTogetherCollideChannelByChannel) {  // C-HBM-16
  Memory m;
  Transaction& first = m.write(2 * kKiB, 0, ns(10), 0);
  Transaction& second = m.write(2 * kKiB, 2 * kKiB, ns(10), 0);
  EXPECT_THAT(m.bench.run(), IsEmpty());
  EXPECT_EQ(first.delivered, ns(18));
  EXPECT_EQ(second.delivered, ns(26));
  EXPECT_THAT(m.channels(), Each(ns(26)));
}

TEST(HbmCtrl, BurstBytesMoveTheChannelField) {  // C-HBM-3, C-HBM-7, C-HBM-16
  Shape shape;
  shape.burst_bytes = 512;
  Memory m(shape);
  m.write(512, 512, ns(10), 0);
  m.write(512, 256 + 3 * 512, ns(10), 0);  // bits [8:0] lie inside the burst
  EXPECT_THAT(m.bench.run(), IsEmpty());
  EXPECT_THAT(m.channels(), ElementsAre(0, ns(26), 0, ns(26), 0, 0, 0, 0));  // 512 B take 16 ns
}

TEST(HbmCtrl, APartialBurstIsChargedInFull) {  // C-HBM-8
  Memory m;
  Transaction& t = m.write(256 + 1, 0, ns(10), ns(1));
  EXPECT_THAT(m.bench.run(), IsEmpty());
  EXPECT_EQ(t.delivered, ns(11 + 8));
}

TEST(HbmCtrl, SingleFlitTransactionsOnDifferentChannelsFinishTogether) {  // acceptance 1, C-HBM-10
  Memory m;
  Transaction& a = m.write(256, 0, ns(10), 0);
  Transaction& b = m.write(256, 256, ns(10), 0);
  EXPECT_THAT(m.bench.run(), IsEmpty());
  EXPECT_EQ(a.delivered, ns(18));
  EXPECT_EQ(b.delivered, ns(18));
  EXPECT_EQ(m.answer(a), m.answer(b));
}

TEST(HbmCtrl, SwitchPenaltyIsPaidPerAlternationOnAChannel) {  // acceptance 2, C-HBM-8
  Shape shape;
  shape.switch_penalty_ns = 3.0;
  Memory m(shape);
  Transaction& w1 = m.write(256, 0, ns(10), 0);
  Transaction& r1 = m.read(256, 0, ns(11));
  Transaction& w2 = m.write(256, 0, ns(12), 0);
  Transaction& w3 = m.write(256, 0, ns(13), 0);
  Transaction& other = m.write(256, 256, ns(14), 0);
  EXPECT_THAT(m.bench.run(), IsEmpty());
  EXPECT_EQ(w1.delivered, ns(18));
  EXPECT_THAT(m.answer(r1), ElementsAre(ns(18 + 3 + 8 + 1) + kHop));
  EXPECT_EQ(w2.delivered, ns(29 + 3 + 8));
  EXPECT_EQ(w3.delivered, ns(40 + 8));     // same direction: none
  EXPECT_EQ(other.delivered, ns(14 + 8));  // a channel of its own: none
}

TEST(HbmCtrl, WithoutAPenaltyReadsAndWritesStillShareTheChannel) {  // C-HBM-5
  Memory m;
  Transaction& w = m.write(256, 0, ns(10), 0);
  Transaction& r = m.read(256, 0, ns(10.5));
  EXPECT_THAT(m.bench.run(), IsEmpty());
  EXPECT_EQ(w.delivered, ns(18));
  EXPECT_THAT(m.answer(r), ElementsAre(ns(18 + 8 + 1) + kHop));
}

TEST(HbmCtrl, ReadsArePacedByTheReturnEdgeInOrderOfTheCommands) {  // C-HBM-11, read issuer
  Memory m;
  Transaction& first = m.read(4 * 256, 0, ns(10));
  Transaction& second = m.read(2 * 256, 4 * 256, ns(10));
  EXPECT_THAT(m.bench.run(), IsEmpty());
  const TimeFs wire = ns(1) + kHop;
  EXPECT_THAT(m.answer(first), ElementsAre(ns(18) + wire, ns(19) + wire, ns(20) + wire, ns(21) + wire));
  EXPECT_THAT(m.answer(second), ElementsAre(ns(22) + wire, ns(23) + wire));  // behind a small read, which waits for it
}

TEST(HbmCtrl, ReadPaceFollowsTheBandwidthOfTheReturnEdge) {  // C-HBM-11
  Shape shape;
  shape.return_bw_gbs = 64.0;
  Memory m(shape);
  Transaction& t = m.read(3 * 256, 0, ns(10));
  EXPECT_THAT(m.bench.run(), IsEmpty());
  EXPECT_THAT(m.answer(t), ElementsAre(ns(22) + kHop, ns(26) + kHop, ns(30) + kHop));
  EXPECT_THAT(m.channels(), ElementsAre(ns(18), ns(22), ns(26), 0, 0, 0, 0, 0));
}

TEST(HbmCtrl, AFlitOfAReadWaitsForItsPredecessors) {  // returned in order
  Memory m;
  m.write(256, 0, ns(9), 0);
  m.write(256, 0, ns(9), 0);  // channel 0 is busy until 25
  Transaction& t = m.read(3 * 256, 0, ns(10));
  EXPECT_THAT(m.bench.run(), IsEmpty());
  EXPECT_THAT(m.answer(t), ElementsAre(ns(34) + kHop, ns(35) + kHop, ns(36) + kHop));
  EXPECT_THAT(m.channels(), ElementsAre(ns(33), ns(19), ns(20), 0, 0, 0, 0, 0));
}

TEST(HbmCtrl, OverheadIsPaidOncePerTransaction) {  // C-HBM-9, C-HBM-11
  Shape shape;
  shape.overhead_ns = 2.0;
  Memory m(shape);
  Transaction& w = m.write(4 * 256, 0, ns(10), ns(1));
  Transaction& r = m.read(256, 7 * 256, ns(10));
  EXPECT_THAT(m.bench.run(), IsEmpty());
  EXPECT_EQ(w.delivered, ns(13 + 8));  // enters at 12, 12, 12, 13
  EXPECT_THAT(m.channels(), ElementsAre(ns(20), ns(20), ns(20), ns(21), 0, 0, 0, ns(20)));
  EXPECT_THAT(m.answer(r), ElementsAre(ns(21) + kHop));
}

TEST(HbmCtrl, WithdrawnWritesCommitOnlyWhenTheyArrive) {  // SHORTEN
  Memory m;
  Transaction& t = m.write(8 * 256, 0, ns(10), ns(1));
  m.bench.scripted(m.router).postpone(ns(13.5), t, Leg::request, 4, ns(20), ns(15));
  EXPECT_THAT(m.bench.run(), IsEmpty());
  EXPECT_THAT(m.channels(), ElementsAre(ns(18), ns(19), ns(20), ns(21), ns(42), ns(43), ns(44), ns(45)));
  EXPECT_EQ(t.delivered, ns(45));
  EXPECT_THAT(m.answer(t), ElementsAre(ns(45) + kHop));
}

class At final : public elab::EventHandler {
 public:
  At(FabricBench& bench, TimeFs at, std::function<void()> action) : action_(std::move(action)) {
    bench.platform().scheduler().schedule(at, *this);
  }
  void on_event(TimeFs, std::uint64_t) override { action_(); }

 private:
  std::function<void()> action_;
};

// A finished transaction begins again for another address while bursts that came after its own are still planned.
TEST(HbmCtrl, AReusedTransactionDoesNotMoveItsOldBursts) {  // C-HBM-15
  Memory m;
  Transaction& first = m.write(256, 3 * 256, ns(10), 0);
  m.read(64 * 256, 0, ns(10));
  const At reuse(m.bench, ns(40), [&] { first.hbm_offset = 0; });
  Transaction& late = m.make(Op::write, 256, 7 * 256);
  m.bench.scripted(m.router).send(ns(49), late, Leg::request, 0, 1, ns(50), 0);
  EXPECT_THAT(m.bench.run(), IsEmpty());
  EXPECT_EQ(late.delivered, ns(65));  // behind burst 39 of the read, which ends at 57
  EXPECT_THAT(m.channels(), ElementsAre(ns(74), ns(75), ns(76), ns(82), ns(78), ns(79), ns(80), ns(89)));
}

TEST(HbmCtrlWaves, ShowWhenABurstOccupiesItsChannelAndWhatWaits) {  // C-HBM-8
  Shape shape;
  shape.switch_penalty_ns = 3.0;
  Memory m(shape);
  m.write(256, 0, ns(10), 0);
  m.read(256, 0, ns(11));      // turns the channel from 18 to 21
  m.write(256, 0, ns(12), 0);  // and this one from 29 to 32
  m.write(256, 256, ns(14), 0);
  EXPECT_THAT(m.bench.run(), IsEmpty());
  m.bench.end();
  EXPECT_EQ(m.busy(0), (Memory::Edges{{ns(10), 1}, {ns(18), 0}, {ns(21), 1}, {ns(29), 0}, {ns(32), 1}, {ns(40), 0}}));
  EXPECT_EQ(m.queue(0), (Memory::Edges{{ns(11), 1}, {ns(12), 2}, {ns(21), 1}, {ns(32), 0}}));
  EXPECT_EQ(m.busy(1), (Memory::Edges{{ns(14), 1}, {ns(22), 0}}));
  EXPECT_THAT(m.queue(1), IsEmpty());
  EXPECT_THAT(m.busy(2), IsEmpty());
}

// A read of 64 bursts is planned as one run. The second write comes unannounced, after bursts behind it were planned.
TEST(HbmCtrlWaves, AreTrueForRunsThatArePlannedAheadAndTakenBack) {
  Memory m;
  m.write(256, 3 * 256, ns(10), 0);
  m.read(64 * 256, 0, ns(10));
  Transaction& late = m.make(Op::write, 256, 7 * 256);
  m.bench.scripted(m.router).send(ns(49), late, Leg::request, 0, 1, ns(50), 0);
  EXPECT_THAT(m.bench.run(), IsEmpty());
  m.bench.end();
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
  m.bench.platform().scheduler().set_time_limit(ns(10.5));
  m.bench.run();
  const std::vector<elab::WaitInfo> waits = m.bench.platform().waits();
  ASSERT_FALSE(waits.empty());
  EXPECT_EQ(waits.back().who, "hbm");
  EXPECT_EQ(waits.back().what, "bursts of read of 16 KiB at 0x0 by router");
  EXPECT_EQ(waits.back().since, ns(10 + 199 * 64));
}

TEST(HbmCtrl, RefusesMessages) {
  Memory m;
  Transaction& t = m.make(Op::message, 0, 0);
  m.bench.scripted(m.router).send_message(t, Leg::request, ns(10));
  EXPECT_THAT(m.bench.run(), IsEmpty());
  EXPECT_EQ(t.status.code, "UNSUPPORTED_REQUEST");
  EXPECT_THAT(m.answer(t), ElementsAre(ns(10) + kHop));
}

// Burst by burst, from what arrived at the controller.
class Oracle {
 public:
  Oracle(Memory& memory, const std::map<std::uint64_t, Transaction*>& transactions)
      : memory_(memory), transactions_(transactions) {}

  // A burst on its pseudo-channel.
  struct Use {
    TimeFs entry, start, finish;
  };
  const std::vector<Use>& uses(std::uint64_t pc) { return uses_[pc]; }

  std::vector<Arrival> answers() {
    enter_all();
    std::sort(bursts_.begin(), bursts_.end(), [](const Burst& a, const Burst& b) {
      return std::tie(a.time, a.sequence, a.index) < std::tie(b.time, b.sequence, b.index);
    });
    std::vector<Burst> leaving;
    for (const Burst& b : bursts_) commit(b, leaving);
    std::stable_sort(leaving.begin(), leaving.end(), [](const Burst& a, const Burst& b) {
      return std::tie(a.time, a.sequence, a.index) < std::tie(b.time, b.sequence, b.index);
    });
    std::vector<Arrival> sent;
    TimeFs available = 0;
    for (const Burst& b : leaving) {
      const bool read = b.transaction->op == Op::read;
      TimeFs through = std::max(b.time, available);
      if (read) {
        const bool last = b.index + 1 == b.transaction->flits;
        through += occupancy_fs(last ? b.transaction->last_flit_bytes : 256, memory_.shape.return_bw_gbs);
        available = through;
      }
      sent.push_back({through + kHop, 0, b.transaction->id, Leg::response, read ? b.index : 0, !read});
    }
    return sent;
  }

 private:
  struct Burst {
    TimeFs time;
    std::uint64_t sequence;
    std::uint32_t index;
    Transaction* transaction;
  };

  void enter_all() {
    const TimeFs overhead = ns(memory_.shape.overhead_ns);
    const TimeFs interval = occupancy_fs(256, memory_.shape.return_bw_gbs);
    TimeFs issuer = 0, decode = 0;
    for (const Arrival& a : memory_.bench.checker().arrivals(memory_.router, memory_.hbm)) {
      Transaction& t = *transactions_.at(a.transaction);
      if (a.message) {
        const TimeFs start = std::max(a.time + overhead, issuer);
        issuer = start + static_cast<TimeFs>(t.flits) * interval;
        for (std::uint32_t i = 0; i < t.flits; ++i) {
          bursts_.push_back({start + static_cast<TimeFs>(i) * interval, a.sequence, i, &t});
        }
      } else {
        decode = std::max(a.time, decode) + (a.index == 0 ? overhead : 0);
        bursts_.push_back({decode, a.sequence, a.index, &t});
      }
    }
  }

  void commit(const Burst& b, std::vector<Burst>& leaving) {
    Transaction& t = *b.transaction;
    auto& [free, direction] = channels_[(t.hbm_offset / 256 + b.index) % 8];
    const int mine = t.op == Op::read ? 1 : 2;
    const TimeFs turn = direction != 0 && direction != mine ? ns(memory_.shape.switch_penalty_ns) : 0;
    free = std::max(b.time, free) + turn + ns(8);
    uses_[(t.hbm_offset / 256 + b.index) % 8].push_back({b.time, free - ns(8), free});
    direction = mine;
    TimeFs& finish = finish_[t.id];
    finish = std::max(finish, free);
    if (t.op == Op::read || b.index + 1 == t.flits) leaving.push_back({finish, b.sequence, b.index, &t});
  }

  Memory& memory_;
  const std::map<std::uint64_t, Transaction*>& transactions_;
  std::vector<Burst> bursts_;
  std::map<std::uint64_t, std::pair<TimeFs, int>> channels_;
  std::map<std::uint64_t, TimeFs> finish_;
  std::map<std::uint64_t, std::vector<Use>> uses_;
};

// The value of a signal at a time.
std::uint64_t value_at(const Memory::Edges& edges, TimeFs at) {
  std::uint64_t value = 0;
  for (const auto& [time, next] : edges) value = time <= at ? next : value;
  return value;
}

void expect_true_waves(const Memory& memory, Oracle& oracle) {
  for (int pc = 0; pc < 8; ++pc) {
    const std::vector<Oracle::Use>& uses = oracle.uses(static_cast<std::uint64_t>(pc));
    ASSERT_FALSE(uses.empty());
    const Memory::Edges busy = memory.busy(pc), queue = memory.queue(pc);
    std::vector<TimeFs> times;
    for (const Oracle::Use& use : uses) times.insert(times.end(), {use.entry, use.start, use.finish});
    for (const auto& [time, value] : busy) times.push_back(time);
    for (const auto& [time, value] : queue) times.push_back(time);
    for (const TimeFs at : times) {
      std::uint64_t running = 0, waiting = 0;
      for (const Oracle::Use& use : uses) {
        running += use.start <= at && at < use.finish ? 1 : 0;
        waiting += use.entry <= at && at < use.start ? 1 : 0;
      }
      ASSERT_EQ(value_at(busy, at), running) << "pc" << pc << " at " << format_ns(at);
      ASSERT_EQ(value_at(queue, at), waiting) << "pc" << pc << " at " << format_ns(at);
    }
  }
}

class RandomHbm : public testing::TestWithParam<std::tuple<double, double, unsigned>> {};

TEST_P(RandomHbm, EqualsABurstByBurstController) {  // C-HBM-4 .. C-HBM-12
  Shape shape;
  shape.overhead_ns = std::get<0>(GetParam());
  shape.switch_penalty_ns = std::get<1>(GetParam());
  Memory m(shape);
  std::mt19937 random(std::get<2>(GetParam()));
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  std::map<std::uint64_t, Transaction*> transactions;
  ScriptedNode& source = m.bench.scripted(m.router);
  TimeFs cursor = ns(10);
  for (int i = 0; i < 200; ++i) {
    const auto bytes = static_cast<std::uint64_t>(pick(0, 2) == 0 ? pick(1, 1000) : 256 * pick(1, 40));
    const auto offset = static_cast<std::uint64_t>(pick(0, 1) == 0 ? 256 * pick(0, 15) : pick(0, 5000));
    const TimeFs start = cursor + pick(0, 20) * ns(0.5);
    Transaction& t = m.make(pick(0, 1) == 0 ? Op::read : Op::write, bytes, offset);
    transactions[t.id] = &t;
    cursor = start;
    if (t.op == Op::read) {
      source.send_message(t, Leg::request, start);
      continue;
    }
    const TimeFs spacing = pick(0, 4) * ns(0.5);
    source.send(start - ns(pick(1, 6)), t, Leg::request, 0, t.flits, start, spacing);
    // Commands may come while the flits of a write are still on their way.
    if (pick(0, 1) == 0) cursor += static_cast<TimeFs>(t.flits - 1) * spacing;
    if (pick(0, 1) == 0) continue;
    const TimeFs at = start + pick(-2, 12) * ns(0.25);
    source.postpone(at, t, Leg::request, static_cast<std::uint32_t>(pick(0, static_cast<int>(t.flits) - 1)),
                    pick(0, 6) * ns(0.5), at);
  }
  EXPECT_THAT(m.bench.run(), IsEmpty());
  Oracle oracle(m, transactions);
  const std::vector<Arrival> expected = oracle.answers();
  const std::vector<Arrival> actual = m.bench.checker().arrivals(m.hbm, m.router);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(std::tie(actual[i].time, actual[i].transaction, actual[i].index),
              std::tie(expected[i].time, expected[i].transaction, expected[i].index))
        << "answer " << i << " of " << expected.size();
  }
  m.bench.end();
  expect_true_waves(m, oracle);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RandomHbm,
                         testing::Combine(testing::Values(0.0, 1.5), testing::Values(0.0, 3.0),
                                          testing::Range(0u, 5u)));

}  // namespace
}  // namespace kb::test
