// The closed formulas of a wire against a loop over its flits.
#include <gtest/gtest.h>

#include "tests/unit/fabric/plain_wire.h"

namespace kb::modules {
namespace {

RC_GTEST_PROP(Wire, CommittedRunsEqualAFlitByFlitComputation, ()) {  // F-24, F-28, F-29
  CheckedWire wire(any_bandwidth(), pick(1_fs, 500_fs));
  RunSource source;
  commit_some(wire, source, pick_count(1, 8));
  RC_ASSERT(wire.equals_plain());
}

RC_GTEST_PROP(Wire, CutsAndNewCommitsEqualAFreshComputation, ()) {
  CheckedWire wire(any_bandwidth());
  RunSource source;
  for (std::uint32_t round = pick_count(1, 6); round > 0; --round) {
    commit_some(wire, source, pick_count(1, 5));
    const PlainFlit competitor =
        wire.flits[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(wire.flits.size()) - 1))];
    // At, just before or just behind a flit; from the same port or another.
    ArrivalKey limit = competitor.key;
    limit.time += pick(-1_fs, 1_fs);
    limit.port = static_cast<std::uint32_t>(pick(0, 2));
    const std::size_t committed = wire.flits.size();
    wire.cut(limit);
    RC_ASSERT(wire.equals_plain());
    const TimeFs floor = pick(0, 1) == 0 ? source.floor() : limit.time + pick(0_fs, 3_ns);
    std::uint32_t rolled_back = 0;
    for (const FlitStream& run : wire.rolled_back) rolled_back += run.count;
    RC_ASSERT(wire.flits.size() + rolled_back == committed);
    // All of them once more, as one batch or in its order of keys as far as it goes.
    ArrivalQueue again;
    for (const FlitStream& run : wire.rolled_back) again.put_back(run);
    while (!again.empty()) {
      StreamBuffer batch;
      const std::size_t count = again.take_batch({kNever, 0, 0, 0}, batch);
      wire.commit(std::vector<FlitStream>(batch.streams, batch.streams + count), std::max(floor, source.floor()));
    }
    RC_ASSERT(wire.flits.size() == committed);
    RC_ASSERT(wire.equals_plain());
  }
}

RC_GTEST_PROP(Wire, TellsWhetherAKeyDisturbsIt, ()) {
  CheckedWire wire(any_bandwidth());
  RunSource source;
  commit_some(wire, source, pick_count(1, 4));
  ArrivalKey limit =
      wire.flits[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(wire.flits.size()) - 1))].key;
  limit.port = static_cast<std::uint32_t>(pick(0, 2));
  limit.time += pick(-1_fs, 1_fs);
  RC_ASSERT(wire.tested.has_at_or_after(limit) == !(wire.flits.back().key < limit));
}

// F-30: a message leaves behind what was ready before it and does not occupy the wire.
RC_GTEST_PROP(Wire, MessagesDepartBetweenTheFlitsByReadyTimeAndKey, ()) {
  CheckedWire wire(any_bandwidth());
  RunSource source;
  commit_some(wire, source, pick_count(1, 5));
  const PlainFlit& near =
      wire.flits[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(wire.flits.size()) - 1))];
  const TimeFs overhead = pick(0, 1) * pick(0_fs, 2_ns);
  const TimeFs ready = std::max(overhead, near.ready + pick(-1_fs, 1_fs));
  const ArrivalKey key{ready - overhead, static_cast<std::uint32_t>(pick(0, 2)), near.key.sequence + 1, 0};

  Segment out;
  wire.tested.send_message(ready, key, out);
  TimeFs expected = ready;
  std::uint64_t behind = 0, ahead_of = ~std::uint64_t{0};
  for (std::size_t i = 0; i < wire.flits.size(); ++i) {
    const PlainFlit& f = wire.flits[i];
    const bool precedes = f.ready != ready ? f.ready < ready : f.key < key;
    if (precedes) {
      expected = std::max(expected, f.end);
      behind = (i + 1) * kSequenceStep;
    } else {
      ahead_of = std::min(ahead_of, (i + 1) * kSequenceStep);
    }
  }
  RC_ASSERT(out.time == expected + 1_fs);
  RC_ASSERT((behind == 0 || out.sequence > behind));
  RC_ASSERT((ahead_of == ~std::uint64_t{0} || out.sequence < ahead_of));
  // The wire is as free as before.
  const std::size_t before = wire.flits.size();
  commit_some(wire, source, 1);
  RC_ASSERT(wire.announced.at(wire.flits[before].id).time == wire.flits[before].end + 1_fs);
}

RC_GTEST_PROP(Wire, ASlippingMessageLeavesAtTheEndOfTheFlitInTransfer, ()) {
  CheckedWire wire(any_bandwidth());
  RunSource source;
  for (std::uint32_t runs = pick_count(1, 5); runs > 0; --runs) {
    for (const FlitStream& run : source.next()) {
      if (wire.flits.empty() || wire.flits.back().key < run.key()) wire.commit(run, source.floor());
    }
  }
  const PlainFlit near =
      wire.flits[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(wire.flits.size()) - 1))];
  const TimeFs ready = std::max(0_fs, near.start + pick(-1_fs, near.occupancy + 1_fs));
  Segment out;
  wire.tested.slip_message(ready, out);
  TimeFs expected = ready;
  for (const PlainFlit& f : wire.flits) {
    if (f.start < ready && ready < f.end) expected = f.end;
  }
  RC_ASSERT(out.time == expected + 1_fs);
}

TEST(Wire, FindsTheFirstCommittedFlitOfALeg) {
  payload::FabricRoute route;
  payload::TransactionPool pool(256);
  payload::Transaction& mine = pool.acquire(payload::Op::write, route, 0, 4096);
  payload::Transaction& other = pool.acquire(payload::Op::write, route, 0, 4096);
  CheckedWire wire(256.0);
  FlitStream run = make_run(100_fs, 10_fs, 0, 2, 4);
  run.transaction = &mine;
  wire.commit(run, 0_fs);
  ArrivalKey key;
  ASSERT_TRUE(wire.tested.find(mine, payload::Leg::request, 0, key));
  EXPECT_EQ(key.time, 100_fs);
  ASSERT_TRUE(wire.tested.find(mine, payload::Leg::request, 4, key));
  EXPECT_EQ(key.time, 120_fs);
  EXPECT_FALSE(wire.tested.find(mine, payload::Leg::request, 6, key));
  EXPECT_FALSE(wire.tested.find(mine, payload::Leg::response, 0, key));
  EXPECT_FALSE(wire.tested.find(other, payload::Leg::request, 0, key));
  ASSERT_TRUE(wire.tested.find(mine, payload::Leg::request, 0, key, {100_fs, 130_fs}));
  EXPECT_EQ(key.time, 100_fs);
  EXPECT_FALSE(wire.tested.find(mine, payload::Leg::request, 0, key, {0_fs, 99_fs}));
  EXPECT_FALSE(wire.tested.find(mine, payload::Leg::request, 0, key, {131_fs, kNever}));
}

TEST(Wire, TheWindowOfACutIsThatOfTheRolledBackFlits) {
  CheckedWire wire(256.0);
  wire.commit(make_run(0_fs, 2_ns, 0, 0, 10), 0_fs);
  TimeWindow seen;
  struct Listener final : IWireUser {
    explicit Listener(TimeWindow& window) : seen(window) {}
    void on_committed(const FlitStream&, const Segment&) override {}
    void on_cut(const FlitStream&, const TimeWindow& window) override { seen = window; }
    TimeWindow& seen;
  } listener(seen);
  wire.tested.cut({7_ns, 0, 0, 0}, listener);  // flits 4 to 9 start at 8 to 18 ns
  EXPECT_EQ(seen.from, 9_ns + 1_fs);
  EXPECT_EQ(seen.until, 19_ns + 1_fs);
}

// Two runs alternate; the first one's transaction ends and begins again while flits of the second are still to come.
TEST(Wire, FindsNothingOfAnEarlierUseOfATransaction) {
  payload::FabricRoute route;
  payload::TransactionPool pool(256);
  payload::Transaction& ends = pool.acquire(payload::Op::write, route, 0, 4096);
  payload::Transaction& lasts = pool.acquire(payload::Op::write, route, 0, 4096);
  CheckedWire wire(256.0);
  std::vector<FlitStream> batch{make_run(0_fs, 2_ns, 0, 0, 2), make_run(1_ns, 2_ns, 1, 2, 8)};
  batch[0].transaction = &ends;
  batch[1].transaction = &lasts;
  wire.commit(batch, 0_fs);
  ArrivalKey key;
  EXPECT_TRUE(wire.tested.find(ends, payload::Leg::request, 0, key));
  wire.tested.retire(8_ns);
  EXPECT_FALSE(wire.tested.find(ends, payload::Leg::request, 0, key));
  EXPECT_TRUE(wire.tested.find(lasts, payload::Leg::request, 6, key));
}

TEST(Wire, RetiredStreamsAreNotCutAnyMore) {
  CheckedWire wire(256.0);
  wire.commit(make_run(0_fs, 1_ns, 0, 0, 4), 0_fs);  // on the wire until 4 ns
  wire.tested.retire(3_ns);
  EXPECT_TRUE(wire.tested.has_at_or_after({3_ns, 0, 0, 0}));
  wire.tested.retire(4_ns + 1_fs);
  EXPECT_FALSE(wire.tested.has_at_or_after({0_fs, 0, 0, 0}));
}

RC_GTEST_PROP(FlitStream, CountBeforeEqualsCounting, ()) {
  FlitStream run = make_run(pick(0_fs, 20_fs), pick(0_fs, 3_fs), static_cast<std::uint64_t>(pick(0, 5)),
                            pick_count(0, 3), pick_count(1, 8));
  if (pick(0, 1) == 0) run.sequence_step = static_cast<std::uint64_t>(pick(0, 2));
  ArrivalKey limit{pick(0_fs, 45_fs), static_cast<std::uint32_t>(pick(0, 2)), static_cast<std::uint64_t>(pick(0, 22)),
                   0};
  limit.index = run.sequence_step == 0 ? pick_count(0, 12) : pick_count(0, 1);
  std::uint32_t before = 0;
  for (std::uint32_t i = 0; i < run.count; ++i) before += run.key(i) < limit ? 1 : 0;
  RC_ASSERT(run.count_before(limit) == before);
}

RC_GTEST_PROP(FlitStream, AHeadAndItsTailJoinToTheWhole, ()) {
  const FlitStream run = make_run(pick(0_fs, 20_fs), pick(0_fs, 3_fs), 7, 3, pick_count(2, 9));
  const std::uint32_t at = pick_count(1, run.count - 1);
  FlitStream head = run;
  head.count = at;
  const FlitStream tail = run.tail(at);
  RC_ASSERT(head.continued_by(tail));
  head.absorb(tail);
  RC_ASSERT(head.count == run.count);
  for (std::uint32_t i = 0; i < run.count; ++i) {
    RC_ASSERT(!(head.key(i) < run.key(i)));
    RC_ASSERT(!(run.key(i) < head.key(i)));
  }
}

TEST(Wire, TakesWhatItDeliversBeforeTheEndOfTime) {
  constexpr TimeFs kPropagation = 7_fs;
  CheckedWire wire(256.0, kPropagation);
  const TimeFs occupancy = wire.tested.params().occupancy;
  const auto fits = [&](const FlitStream& run, TimeFs floor) { return wire.tested.fits(&run, 1, floor); };
  constexpr std::uint32_t kFlits = 1000;
  const TimeFs latest = kTimeEnd - kPropagation - kFlits * occupancy;
  EXPECT_TRUE(fits(make_run(latest, 0_fs, 0, 0, kFlits), 0_fs));
  EXPECT_FALSE(fits(make_run(latest + 1_fs, 0_fs, 0, 0, kFlits), 0_fs));
  EXPECT_TRUE(fits(make_run(0_fs, 0_fs, 0, 0, kFlits), latest));
  EXPECT_FALSE(fits(make_run(0_fs, 0_fs, 0, 0, kFlits), latest + 1_fs));
  EXPECT_FALSE(fits(make_run(0_fs, kTimeEnd, 0, 0, kFlits), 0_fs));  // the times of its flits overflow
  const FlitStream two[] = {make_run(latest, 0_fs, 0, 0, kFlits / 2), make_run(latest, 0_fs, 1, 0, kFlits / 2)};
  EXPECT_TRUE(wire.tested.fits(two, 2, 0_fs));
  EXPECT_FALSE(wire.tested.fits(two, 2, latest + 1_fs));
}

TEST(Wire, CountsTheTimeOfSlowWiresWithoutOverflow) {
  CheckedWire wire(1e-9);  // 256 s per flit
  const FlitStream run = make_run(0_fs, 0_fs, 0, 0, ~0u);
  EXPECT_FALSE(wire.tested.fits(&run, 1, 0_fs));
}

}  // namespace
}  // namespace kb::modules
