// The closed formulas of a wire against a loop over its flits.
#include "modules/fabric/channel.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "modules/fabric/arrival_queue.h"

namespace kb::modules {
namespace {

using payload::kSequenceStep;
using payload::Segment;

constexpr std::uint16_t kPort = 1;  // where all flits come from; messages come from 0 .. 2

std::int64_t pick(std::int64_t low, std::int64_t high) {
  return *rc::gen::inRange<std::int64_t>(low, high + 1);
}
TimeFs pick(TimeFs low, TimeFs high) {
  return TimeFs(pick(low.fs(), high.fs()));
}
std::uint32_t pick_count(std::uint32_t low, std::uint32_t high) {
  return *rc::gen::inRange<std::uint32_t>(low, high + 1);
}

struct PlainFlit {
  std::uint32_t id;  // FlitStream::first counts through all runs of a test
  ArrivalKey key;
  TimeFs ready;
  TimeFs occupancy;
  std::uint32_t bytes;
  TimeFs start = 0_fs;
  TimeFs end = 0_fs;
};

// F-28, one flit after the other.
void pass_one_by_one(std::vector<PlainFlit>& flits) {
  TimeFs available = 0_fs;
  for (PlainFlit& f : flits) {
    f.start = std::max(f.ready, available);
    f.end = available = f.start + f.occupancy;
  }
}

FlitStream make_run(TimeFs time, TimeFs spacing, std::uint64_t sequence, std::uint32_t first, std::uint32_t count) {
  FlitStream run;
  run.time = time;
  run.spacing = spacing;
  run.sequence = sequence;
  run.first = first;
  run.count = count;
  run.in_port = kPort;
  return run;
}

// A channel and the flits it should carry.
class Wire final : public IWireUser {
 public:
  explicit Wire(double bw_gbs, TimeFs propagation = 1_fs) {
    Channel::Params params;
    params.bw_gbs = bw_gbs;
    params.occupancy = occupancy_fs(params.flit_bytes, bw_gbs);
    params.propagation = propagation;
    params.keep_until_sent = true;
    channel.configure(params);
  }

  void commit(const FlitStream& run, TimeFs floor) { commit(std::vector<FlitStream>{run}, floor); }
  void commit(const std::vector<FlitStream>& streams, TimeFs floor) {
    channel.commit(streams.data(), streams.size(), floor, *this);
    const auto committed = static_cast<std::ptrdiff_t>(flits.size());
    for (const FlitStream& run : streams) {
      const std::uint32_t bytes = run.flit_bytes == 0 ? 256 : run.flit_bytes;
      const TimeFs occupancy = occupancy_fs(bytes, channel.params().bw_gbs);
      for (std::uint32_t i = 0; i < run.count; ++i)
        flits.push_back({run.first + i, run.key(i), std::max(run.time_of(i), floor), occupancy, bytes});
    }
    std::sort(flits.begin() + committed, flits.end(),
              [](const PlainFlit& a, const PlainFlit& b) { return a.key < b.key; });
    pass_one_by_one(flits);
  }

  void cut(const ArrivalKey& limit) {
    rolled_back.clear();
    channel.cut(limit, *this);
    while (!flits.empty() && !(flits.back().key < limit)) {
      announced.erase(flits.back().id);
      flits.pop_back();
    }
  }

  bool equals_plain() const {
    bool equal = announced.size() == flits.size();
    for (std::size_t i = 0; equal && i < flits.size(); ++i) {
      const Announcement& told = announced.at(flits[i].id);
      equal = told.time == flits[i].end + channel.params().propagation && told.sequence == (i + 1) * kSequenceStep;
    }
    return equal;
  }

  struct Announcement {
    TimeFs time;
    std::uint64_t sequence;
  };
  Channel channel;
  std::vector<PlainFlit> flits;
  std::map<std::uint32_t, Announcement> announced;  // by flit id
  std::vector<FlitStream> rolled_back;              // of the latest cut

 private:
  void on_committed(const FlitStream& run, const Segment& s) override {
    EXPECT_GE(s.first, run.first);
    EXPECT_LE(s.first + s.count, run.first + run.count);
    for (std::uint32_t i = 0; i < s.count; ++i) {
      const Announcement told{s.time + i * s.spacing, s.sequence + i * s.sequence_step};
      EXPECT_TRUE(announced.emplace(s.first + i, told).second) << "flit " << s.first + i << " is announced twice";
    }
  }
  void on_cut(const FlitStream& run, const TimeWindow& window) override {
    rolled_back.push_back(run);
    for (std::uint32_t i = 0; i < run.count; ++i) {
      const TimeFs arrival = announced.at(run.first + i).time;
      EXPECT_TRUE(window.from <= arrival && arrival <= window.until) << "flit " << run.first + i;
    }
  }
};

double any_bandwidth() {
  return *rc::gen::element(0.0, 256.0, 128.0, 100.0, 300.0);
}

// Random runs, or batches of several, whose keys and floors ascend.
class RunSource {
 public:
  std::vector<FlitStream> next() {
    time_ += pick(0, 1) * pick(0_fs, 6_ns);
    std::vector<FlitStream> streams;
    const TimeFs begin = time_;
    for (std::uint32_t n = pick(0, 1) == 0 ? 1 : pick_count(2, 4); n > 0; --n) {
      const TimeFs spacing = pick(0, 2) == 0 ? 0_fs : pick(0_fs, 4_ns);
      FlitStream run = make_run(begin + pick(0, 1) * pick(0_fs, 6_ns), spacing, sequence_, first_, pick_count(1, 12));
      if (run.count == 1 && pick(0, 2) == 0) run.flit_bytes = pick_count(1, 255);
      time_ = std::max(time_, run.last_time());
      sequence_ += run.count * kSequenceStep;
      first_ += run.count;
      streams.push_back(run);
    }
    floor_ = std::max(floor_, pick(0, 1) * (begin + pick(0_fs, 8_ns)));
    return streams;
  }
  TimeFs floor() const { return floor_; }

 private:
  TimeFs time_ = 0_fs;
  TimeFs floor_ = 0_fs;
  std::uint64_t sequence_ = 0;
  std::uint32_t first_ = 0;
};

void commit_some(Wire& wire, RunSource& source, std::uint32_t batches) {
  for (std::uint32_t i = 0; i < batches; ++i) {
    const std::vector<FlitStream> streams = source.next();
    wire.commit(streams, source.floor());
  }
}

RC_GTEST_PROP(Channel, CommittedRunsEqualAFlitByFlitComputation, ()) {  // F-24, F-28, F-29
  Wire wire(any_bandwidth(), pick(1_fs, 500_fs));
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

RC_GTEST_PROP(Channel, TellsWhetherAKeyDisturbsIt, ()) {
  Wire wire(any_bandwidth());
  RunSource source;
  commit_some(wire, source, pick_count(1, 4));
  ArrivalKey limit =
      wire.flits[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(wire.flits.size()) - 1))].key;
  limit.port = static_cast<std::uint32_t>(pick(0, 2));
  limit.time += pick(-1_fs, 1_fs);
  RC_ASSERT(wire.channel.has_at_or_after(limit) == !(wire.flits.back().key < limit));
}

// F-30: a message leaves behind what was ready before it and does not occupy the wire.
RC_GTEST_PROP(Channel, MessagesDepartBetweenTheFlitsByReadyTimeAndKey, ()) {
  Wire wire(any_bandwidth());
  RunSource source;
  commit_some(wire, source, pick_count(1, 5));
  const PlainFlit& near =
      wire.flits[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(wire.flits.size()) - 1))];
  const TimeFs overhead = pick(0, 1) * pick(0_fs, 2_ns);
  const TimeFs ready = std::max(overhead, near.ready + pick(-1_fs, 1_fs));
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

RC_GTEST_PROP(Channel, ASlippingMessageLeavesAtTheEndOfTheFlitInTransfer, ()) {
  Wire wire(any_bandwidth());
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
  wire.channel.slip_message(ready, out);
  TimeFs expected = ready;
  for (const PlainFlit& f : wire.flits) {
    if (f.start < ready && ready < f.end) expected = f.end;
  }
  RC_ASSERT(out.time == expected + 1_fs);
}

RC_GTEST_PROP(Channel, StatisticsCountWhatWasCarriedAndTheLongestWait, ()) {
  Wire wire(any_bandwidth());
  const std::vector<TimeFs> no_ends;
  record::ActivityParts parts;
  record::ActivitySeries recorded(512, no_ends, parts, 0);
  if (wire.channel.params().occupancy > 0_fs) wire.channel.record_in(&recorded);
  RunSource source;
  commit_some(wire, source, pick_count(1, 8));
  if (pick(0, 1) == 1) {  // what is rolled back is not counted
    wire.cut(wire.flits[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(wire.flits.size()) - 1))].key);
  }
  wire.channel.retire(kNever);
  TimeFs busy = 0_fs, wait = 0_fs, all_waits = 0_fs;
  std::uint64_t bytes = 0;
  for (const PlainFlit& f : wire.flits) {
    all_waits += f.start - f.ready;
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
  if (wire.channel.params().occupancy == 0_fs) return;
  record::Bin sum;
  recorded.finish();
  for (const record::Activity& part : parts.list) {
    part.bins.for_each([&](std::uint32_t, const record::Bin& bin) { sum.add(bin); });
  }
  RC_ASSERT(sum.busy == busy);
  RC_ASSERT(sum.bytes == bytes);
  RC_ASSERT(sum.wait == all_waits);
}

// Keeps the last value of each signal at each time.
class Waveform final : public contract::ISignalObserver {
 public:
  using ISignalObserver::declare;
  contract::SignalId declare(const contract::SignalInfo& info) override {
    names_.push_back(info.full_name());
    return static_cast<contract::SignalId>(names_.size() - 1);
  }
  void change(contract::SignalId signal, TimeFs at, std::uint64_t value) override {
    values_[names_[signal]][at] = value;
  }

  const std::map<TimeFs, std::uint64_t>& changes(const std::string& name) { return values_[name]; }
  std::uint64_t value(const std::string& name, TimeFs at) {
    const auto next = values_[name].upper_bound(at);
    return next == values_[name].begin() ? 0 : std::prev(next)->second;
  }

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::map<TimeFs, std::uint64_t>> values_;
};

// What is committed after everything was retired may have been ready before.
RC_GTEST_PROP(Channel, WaveformsShowTheFlitsThatAreOnTheWireAndThoseThatWait, ()) {
  Wire wire(*rc::gen::element(256.0, 128.0, 100.0));
  Waveform waveform;
  wire.channel.observe(waveform, "node", "to_peer");
  RunSource source;
  for (int round = 0; round < 2; ++round) {
    commit_some(wire, source, pick_count(1, 6));
    wire.channel.retire(wire.flits[wire.flits.size() / 2].end);
    wire.channel.retire(wire.channel.available() + 1_fs);
  }
  wire.channel.retire(kNever);
  const std::string busy = "node.to_peer.busy", queue = "node.to_peer.queue";
  for (const auto& [at, value] : waveform.changes(queue)) {
    std::uint64_t waiting = 0;
    for (const PlainFlit& f : wire.flits) waiting += f.ready <= at && at < f.start ? 1 : 0;
    RC_ASSERT(value == waiting);
  }
  for (std::size_t i = 0; i < wire.flits.size(); ++i) {
    const PlainFlit& f = wire.flits[i];
    RC_ASSERT((f.start == f.ready || waveform.changes(queue).count(f.ready) == 1));
    RC_ASSERT((f.start == f.ready || waveform.changes(queue).count(f.start) == 1));
    const bool followed = i + 1 < wire.flits.size() && wire.flits[i + 1].start == f.end;
    RC_ASSERT(waveform.value(busy, f.start) == 1u);
    RC_ASSERT(waveform.value(busy, f.end - 1_fs) == 1u);
    RC_ASSERT(waveform.value(busy, f.end) == (followed ? 1u : 0u));
  }
}

TEST(Channel, DeepestQueueLeavesOutTheFlitInTransfer) {
  Wire wire(256.0);
  wire.commit(make_run(0_fs, 0_fs, 0, 0, 10), 0_fs);
  wire.channel.retire(kNever);
  EXPECT_EQ(wire.channel.deepest_queue(), 9u);
  EXPECT_EQ(wire.channel.statistics().longest_wait, 9_ns);
}

TEST(Channel, FindsTheFirstCommittedFlitOfALeg) {
  payload::FabricRoute route;
  payload::TransactionPool pool(256);
  payload::Transaction& mine = pool.acquire(payload::Op::write, route, 0, 4096);
  payload::Transaction& other = pool.acquire(payload::Op::write, route, 0, 4096);
  Wire wire(256.0);
  FlitStream run = make_run(100_fs, 10_fs, 0, 2, 4);
  run.transaction = &mine;
  wire.commit(run, 0_fs);
  ArrivalKey key;
  ASSERT_TRUE(wire.channel.find(mine, payload::Leg::request, 0, key));
  EXPECT_EQ(key.time, 100_fs);
  ASSERT_TRUE(wire.channel.find(mine, payload::Leg::request, 4, key));
  EXPECT_EQ(key.time, 120_fs);
  EXPECT_FALSE(wire.channel.find(mine, payload::Leg::request, 6, key));
  EXPECT_FALSE(wire.channel.find(mine, payload::Leg::response, 0, key));
  EXPECT_FALSE(wire.channel.find(other, payload::Leg::request, 0, key));
  ASSERT_TRUE(wire.channel.find(mine, payload::Leg::request, 0, key, {100_fs, 130_fs}));
  EXPECT_EQ(key.time, 100_fs);
  EXPECT_FALSE(wire.channel.find(mine, payload::Leg::request, 0, key, {0_fs, 99_fs}));
  EXPECT_FALSE(wire.channel.find(mine, payload::Leg::request, 0, key, {131_fs, kNever}));
}

TEST(Channel, TheWindowOfACutIsThatOfTheRolledBackFlits) {
  Wire wire(256.0);
  wire.commit(make_run(0_fs, 2_ns, 0, 0, 10), 0_fs);
  TimeWindow seen;
  struct Listener final : IWireUser {
    explicit Listener(TimeWindow& window) : seen(window) {}
    void on_committed(const FlitStream&, const Segment&) override {}
    void on_cut(const FlitStream&, const TimeWindow& window) override { seen = window; }
    TimeWindow& seen;
  } listener(seen);
  wire.channel.cut({7_ns, 0, 0, 0}, listener);  // flits 4 to 9 start at 8 to 18 ns
  EXPECT_EQ(seen.from, 9_ns + 1_fs);
  EXPECT_EQ(seen.until, 19_ns + 1_fs);
}

// Two runs alternate; the first one's transaction ends and begins again while flits of the second are still to come.
TEST(Channel, FindsNothingOfAnEarlierUseOfATransaction) {
  payload::FabricRoute route;
  payload::TransactionPool pool(256);
  payload::Transaction& ends = pool.acquire(payload::Op::write, route, 0, 4096);
  payload::Transaction& lasts = pool.acquire(payload::Op::write, route, 0, 4096);
  Wire wire(256.0);
  std::vector<FlitStream> batch{make_run(0_fs, 2_ns, 0, 0, 2), make_run(1_ns, 2_ns, 1, 2, 8)};
  batch[0].transaction = &ends;
  batch[1].transaction = &lasts;
  wire.commit(batch, 0_fs);
  ArrivalKey key;
  EXPECT_TRUE(wire.channel.find(ends, payload::Leg::request, 0, key));
  wire.channel.retire(8_ns);
  EXPECT_FALSE(wire.channel.find(ends, payload::Leg::request, 0, key));
  EXPECT_TRUE(wire.channel.find(lasts, payload::Leg::request, 6, key));
}

TEST(Channel, RetiredStreamsAreNotCutAnyMore) {
  Wire wire(256.0);
  wire.commit(make_run(0_fs, 1_ns, 0, 0, 4), 0_fs);  // on the wire until 4 ns
  wire.channel.retire(3_ns);
  EXPECT_TRUE(wire.channel.has_at_or_after({3_ns, 0, 0, 0}));
  wire.channel.retire(4_ns + 1_fs);
  EXPECT_FALSE(wire.channel.has_at_or_after({0_fs, 0, 0, 0}));
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

TEST(Channel, TakesWhatItDeliversBeforeTheEndOfTime) {
  constexpr TimeFs kPropagation = 7_fs;
  Wire wire(256.0, kPropagation);
  const TimeFs occupancy = wire.channel.params().occupancy;
  const auto fits = [&](FlitStream run, TimeFs floor) { return wire.channel.fits(&run, 1, floor); };
  constexpr std::uint32_t kFlits = 1000;
  const TimeFs latest = kTimeEnd - kPropagation - kFlits * occupancy;
  EXPECT_TRUE(fits(make_run(latest, 0_fs, 0, 0, kFlits), 0_fs));
  EXPECT_FALSE(fits(make_run(latest + 1_fs, 0_fs, 0, 0, kFlits), 0_fs));
  EXPECT_TRUE(fits(make_run(0_fs, 0_fs, 0, 0, kFlits), latest));
  EXPECT_FALSE(fits(make_run(0_fs, 0_fs, 0, 0, kFlits), latest + 1_fs));
  EXPECT_FALSE(fits(make_run(0_fs, kTimeEnd, 0, 0, kFlits), 0_fs));  // the times of its flits overflow
  const FlitStream two[] = {make_run(latest, 0_fs, 0, 0, kFlits / 2), make_run(latest, 0_fs, 1, 0, kFlits / 2)};
  EXPECT_TRUE(wire.channel.fits(two, 2, 0_fs));
  EXPECT_FALSE(wire.channel.fits(two, 2, latest + 1_fs));
}

TEST(Channel, CountsTheTimeOfSlowWiresWithoutOverflow) {
  Wire wire(1e-9);  // 256 s per flit
  const FlitStream run = make_run(0_fs, 0_fs, 0, 0, ~0u);
  EXPECT_FALSE(wire.channel.fits(&run, 1, 0_fs));
}

}  // namespace
}  // namespace kb::modules
