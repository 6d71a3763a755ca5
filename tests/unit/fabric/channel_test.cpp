// The closed formulas of a wire against a loop over its flits.
#include "modules/fabric/channel.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <vector>

namespace kb::modules {
namespace {

using payload::kSequenceStep;
using payload::Segment;

constexpr std::uint16_t kPort = 1;  // where all flits come from; messages come from 0 .. 2

TimeFs pick(TimeFs low, TimeFs high) {
  return *rc::gen::inRange<TimeFs>(low, high + 1);
}
std::uint32_t pick_count(std::uint32_t low, std::uint32_t high) {
  return *rc::gen::inRange<std::uint32_t>(low, high + 1);
}

struct PlainFlit {
  std::uint32_t id;  // FlitRun::first counts through all runs of a test
  ArrivalKey key;
  TimeFs ready;
  TimeFs occupancy;
  std::uint32_t bytes;
  TimeFs start = 0;
  TimeFs end = 0;
};

// F-28, one flit after the other.
void pass_one_by_one(std::vector<PlainFlit>& flits) {
  TimeFs available = 0;
  for (PlainFlit& f : flits) {
    f.start = std::max(f.ready, available);
    f.end = available = f.start + f.occupancy;
  }
}

FlitRun make_run(TimeFs time, TimeFs spacing, std::uint64_t sequence, std::uint32_t first, std::uint32_t count) {
  FlitRun run;
  run.time = time;
  run.spacing = spacing;
  run.sequence = sequence;
  run.first = first;
  run.count = count;
  run.in_port = kPort;
  return run;
}

// A channel and the flits it should carry.
class Wire final : public Channel::ICutHandler {
 public:
  explicit Wire(double bw_gbs, TimeFs propagation = 1) {
    Channel::Params params;
    params.bw_gbs = bw_gbs;
    params.occupancy = occupancy_fs(params.flit_bytes, bw_gbs);
    params.propagation = propagation;
    params.keep_until_sent = true;
    channel.configure(params);
  }

  void commit(const FlitRun& run, TimeFs floor, std::uint32_t bytes = 256) {
    Segment out[2];
    const int n = channel.commit(run, floor, bytes, out);
    std::uint32_t filled = 0;
    for (int s = 0; s < n; ++s) {
      EXPECT_EQ(out[s].first, run.first + filled);
      for (std::uint32_t i = 0; i < out[s].count; ++i) {
        delivered.push_back(out[s].time + static_cast<TimeFs>(i) * out[s].spacing);
        sequences.push_back(out[s].sequence + i * kSequenceStep);
      }
      filled += out[s].count;
    }
    EXPECT_EQ(filled, run.count);
    for (std::uint32_t i = 0; i < run.count; ++i) {
      const TimeFs occupancy = occupancy_fs(bytes, channel.params().bw_gbs);
      flits.push_back({run.first + i, run.key(i), std::max(run.time_of(i), floor), occupancy, bytes});
    }
    pass_one_by_one(flits);
  }

  void cut(const ArrivalKey& limit) {
    withdrawn.clear();
    channel.cut(limit, *this);
    while (!flits.empty() && !(flits.back().key < limit)) {
      flits.pop_back();
      delivered.pop_back();
      sequences.pop_back();
    }
  }

  bool equals_plain() const {
    bool equal = delivered.size() == flits.size();
    for (std::size_t i = 0; equal && i < flits.size(); ++i) {
      equal = delivered[i] == flits[i].end + channel.params().propagation && sequences[i] == (i + 1) * kSequenceStep;
    }
    return equal;
  }

  Channel channel;
  std::vector<PlainFlit> flits;
  std::vector<TimeFs> delivered;
  std::vector<std::uint64_t> sequences;
  std::vector<FlitRun> withdrawn;  // of the latest cut, latest first

 private:
  void on_cut(const FlitRun& run) override { withdrawn.push_back(run); }
};

double any_bandwidth() {
  return *rc::gen::element(0.0, 256.0, 128.0, 100.0, 300.0);
}

// Random runs whose keys and floors ascend.
class RunSource {
 public:
  FlitRun next() {
    time_ += pick(0, 1) * pick(0, 6'000'000);
    const TimeFs spacing = pick(0, 2) == 0 ? 0 : pick(0, 4'000'000);
    const FlitRun run = make_run(time_, spacing, sequence_, first_, pick_count(1, 12));
    time_ = run.last_time();
    sequence_ += run.count * kSequenceStep;
    first_ += run.count;
    floor_ = std::max(floor_, pick(0, 1) * (run.time + pick(0, 8'000'000)));
    return run;
  }
  TimeFs floor() const { return floor_; }

 private:
  TimeFs time_ = 0;
  TimeFs floor_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint32_t first_ = 0;
};

void commit_some(Wire& wire, RunSource& source, std::uint32_t runs) {
  for (std::uint32_t i = 0; i < runs; ++i) {
    const FlitRun run = source.next();
    const bool remainder = run.count == 1 && pick(0, 2) == 0;
    wire.commit(run, source.floor(), remainder ? pick_count(1, 255) : 256);
  }
}

RC_GTEST_PROP(Channel, CommittedRunsEqualAFlitByFlitComputation, ()) {  // F-24, F-28, F-29
  Wire wire(any_bandwidth(), pick(1, 500));
  RunSource source;
  commit_some(wire, source, pick_count(1, 8));
  RC_ASSERT(wire.equals_plain());
}

RC_GTEST_PROP(Channel, CutsAndNewCommitsEqualAFreshComputation, ()) {
  Wire wire(any_bandwidth());
  RunSource source;
  for (std::uint32_t round = pick_count(1, 6); round > 0; --round) {
    commit_some(wire, source, pick_count(1, 5));
    const PlainFlit competitor =
        wire.flits[static_cast<std::size_t>(pick(0, static_cast<TimeFs>(wire.flits.size()) - 1))];
    // At, just before or just behind a flit; from the same port or another.
    ArrivalKey limit = competitor.key;
    limit.time += pick(-1, 1);
    limit.port = static_cast<std::uint32_t>(pick(0, 2));
    wire.cut(limit);
    RC_ASSERT(wire.equals_plain());
    const TimeFs floor = pick(0, 1) == 0 ? source.floor() : limit.time + pick(0, 3'000'000);
    const std::vector<FlitRun> again(wire.withdrawn.rbegin(), wire.withdrawn.rend());
    for (const FlitRun& run : again) {
      RC_ASSERT(run.first == (wire.flits.empty() ? 0 : wire.flits.back().id + 1));
      wire.commit(run, std::max(floor, source.floor()));
    }
    RC_ASSERT(wire.equals_plain());
  }
}

RC_GTEST_PROP(Channel, TellsWhetherAKeyDisturbsIt, ()) {
  Wire wire(any_bandwidth());
  RunSource source;
  commit_some(wire, source, pick_count(1, 4));
  ArrivalKey limit = wire.flits[static_cast<std::size_t>(pick(0, static_cast<TimeFs>(wire.flits.size()) - 1))].key;
  limit.port = static_cast<std::uint32_t>(pick(0, 2));
  limit.time += pick(-1, 1);
  RC_ASSERT(wire.channel.has_at_or_after(limit) == !(wire.flits.back().key < limit));
}

// F-30: a message leaves behind what was ready before it and does not occupy the wire.
RC_GTEST_PROP(Channel, MessagesDepartBetweenTheFlitsByReadyTimeAndKey, ()) {
  Wire wire(any_bandwidth());
  RunSource source;
  commit_some(wire, source, pick_count(1, 5));
  const PlainFlit& near = wire.flits[static_cast<std::size_t>(pick(0, static_cast<TimeFs>(wire.flits.size()) - 1))];
  const TimeFs overhead = pick(0, 1) * pick(0, 2'000'000);
  const TimeFs ready = std::max(overhead, near.ready + pick(-1, 1));
  const ArrivalKey key{ready - overhead, static_cast<std::uint32_t>(pick(0, 2)), near.key.sequence + 1, 0};

  Segment out;
  wire.channel.send_message(ready, key, out);
  TimeFs expected = ready;
  std::uint64_t behind = 0, ahead_of = ~std::uint64_t{0};
  for (std::size_t i = 0; i < wire.flits.size(); ++i) {
    const PlainFlit& f = wire.flits[i];
    const bool precedes = f.ready != ready ? f.ready < ready : f.key < key;
    if (precedes) {
      expected = std::max(expected, f.end);
      behind = wire.sequences[i];
    } else {
      ahead_of = std::min(ahead_of, wire.sequences[i]);
    }
  }
  RC_ASSERT(out.time == expected + 1);
  RC_ASSERT((behind == 0 || out.sequence > behind));
  RC_ASSERT((ahead_of == ~std::uint64_t{0} || out.sequence < ahead_of));
  // The wire is as free as before.
  const FlitRun next = source.next();
  const std::size_t before = wire.delivered.size();
  wire.commit(next, source.floor());
  RC_ASSERT(wire.delivered[before] == wire.flits[before].end + 1);
}

RC_GTEST_PROP(Channel, ASlippingMessageLeavesAtTheEndOfTheFlitInTransfer, ()) {
  Wire wire(any_bandwidth());
  RunSource source;
  commit_some(wire, source, pick_count(1, 5));
  const PlainFlit near = wire.flits[static_cast<std::size_t>(pick(0, static_cast<TimeFs>(wire.flits.size()) - 1))];
  const TimeFs ready = std::max<TimeFs>(0, near.start + pick(-1, near.occupancy + 1));
  Segment out;
  wire.channel.slip_message(ready, out);
  TimeFs expected = ready;
  for (const PlainFlit& f : wire.flits) {
    if (f.start < ready && ready < f.end) expected = f.end;
  }
  RC_ASSERT(out.time == expected + 1);
}

RC_GTEST_PROP(Channel, StatisticsCountWhatWasCarriedAndTheLongestWait, ()) {
  Wire wire(any_bandwidth());
  RunSource source;
  commit_some(wire, source, pick_count(1, 8));
  if (pick(0, 1) == 1) {  // what is withdrawn is not counted
    wire.cut(wire.flits[static_cast<std::size_t>(pick(0, static_cast<TimeFs>(wire.flits.size()) - 1))].key);
  }
  wire.channel.settle(kNever);
  TimeFs busy = 0, wait = 0;
  std::uint64_t bytes = 0;
  for (const PlainFlit& f : wire.flits) {
    busy += f.occupancy;
    bytes += f.bytes;
    wait = std::max(wait, f.start - f.ready);
  }
  const Channel::Statistics& s = wire.channel.statistics();
  RC_ASSERT(s.flits == wire.flits.size());
  RC_ASSERT(s.bytes == bytes);
  RC_ASSERT(s.busy == busy);
  RC_ASSERT(s.longest_wait == wait);
  RC_ASSERT(s.messages == 0u);
}

TEST(Channel, DeepestQueueLeavesOutTheFlitInTransfer) {
  Wire wire(256.0);
  wire.commit(make_run(0, 0, 0, 0, 10), 0);
  wire.channel.settle(kNever);
  EXPECT_EQ(wire.channel.deepest_queue(), 9u);
  EXPECT_EQ(wire.channel.statistics().longest_wait, 9 * kFsPerNs);
}

TEST(Channel, FindsTheFirstCommittedFlitOfALeg) {
  payload::FabricRoute route;
  payload::TransactionPool pool(256);
  payload::Transaction& mine = pool.acquire(payload::Op::write, route, 0, 4096);
  payload::Transaction& other = pool.acquire(payload::Op::write, route, 0, 4096);
  Wire wire(256.0);
  FlitRun run = make_run(100, 10, 0, 2, 4);
  run.transaction = &mine;
  wire.commit(run, 0);
  ArrivalKey key;
  ASSERT_TRUE(wire.channel.find(mine, payload::Leg::request, 0, key));
  EXPECT_EQ(key.time, 100);
  ASSERT_TRUE(wire.channel.find(mine, payload::Leg::request, 4, key));
  EXPECT_EQ(key.time, 120);
  EXPECT_FALSE(wire.channel.find(mine, payload::Leg::request, 6, key));
  EXPECT_FALSE(wire.channel.find(mine, payload::Leg::response, 0, key));
  EXPECT_FALSE(wire.channel.find(other, payload::Leg::request, 0, key));
}

TEST(Channel, SettledRunsAreNotCutAnyMore) {
  Wire wire(256.0);
  wire.commit(make_run(0, kFsPerNs, 0, 0, 4), 0);  // on the wire until 4 ns
  wire.channel.settle(3 * kFsPerNs);
  EXPECT_TRUE(wire.channel.has_at_or_after({3 * kFsPerNs, 0, 0, 0}));
  wire.channel.settle(4 * kFsPerNs + 1);
  EXPECT_FALSE(wire.channel.has_at_or_after({0, 0, 0, 0}));
}

RC_GTEST_PROP(FlitRun, CountBeforeEqualsCounting, ()) {
  FlitRun run =
      make_run(pick(0, 20), pick(0, 3), static_cast<std::uint64_t>(pick(0, 5)), pick_count(0, 3), pick_count(1, 8));
  if (pick(0, 1) == 0) run.sequence_step = static_cast<std::uint64_t>(pick(0, 2));
  ArrivalKey limit{pick(0, 45), static_cast<std::uint32_t>(pick(0, 2)), static_cast<std::uint64_t>(pick(0, 22)), 0};
  if (run.sequence_step == 0) limit.index = pick_count(0, 12);  // only flits that share a sequence number have one
  std::uint32_t before = 0;
  for (std::uint32_t i = 0; i < run.count; ++i) before += run.key(i) < limit ? 1 : 0;
  RC_ASSERT(run.count_before(limit) == before);
}

RC_GTEST_PROP(FlitRun, AHeadAndItsTailJoinToTheWhole, ()) {
  const FlitRun run = make_run(pick(0, 20), pick(0, 3), 7, 3, pick_count(2, 9));
  const std::uint32_t at = pick_count(1, run.count - 1);
  FlitRun head = run;
  head.count = at;
  const FlitRun tail = run.tail(at);
  RC_ASSERT(head.continued_by(tail));
  head.absorb(tail);
  RC_ASSERT(head.count == run.count);
  for (std::uint32_t i = 0; i < run.count; ++i) {
    RC_ASSERT(!(head.key(i) < run.key(i)));
    RC_ASSERT(!(run.key(i) < head.key(i)));
  }
}

}  // namespace
}  // namespace kb::modules
