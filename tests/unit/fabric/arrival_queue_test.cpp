// The queue of announced flits against a sorted list of single flits.
#include "modules/fabric/arrival_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace kb::modules {
namespace {

using payload::kSequenceStep;
using payload::Leg;

struct PlainFlit {
  ArrivalKey key;
  std::size_t leg;
  std::uint32_t index;

  friend bool operator<(const PlainFlit& a, const PlainFlit& b) { return a.key < b.key; }
  friend bool operator==(const PlainFlit& a, const PlainFlit& b) {
    return !(a < b) && !(b < a) && a.leg == b.leg && a.index == b.index;
  }
};

std::uint32_t pick(std::uint32_t low, std::uint32_t high) {
  return *rc::gen::inRange<std::uint32_t>(low, high + 1);
}

// Legs that come through three ports, each in segments, with arrivals that often coincide.
class Arrivals {
 public:
  explicit Arrivals(std::size_t legs) : pool_(256) {
    for (std::size_t i = 0; i < legs; ++i)
      legs_.push_back({&pool_.acquire(payload::Op::write, route_, 0, 1 << 20), static_cast<std::uint16_t>(pick(0, 2))});
  }

  void announce() {
    State& leg = legs_[pick(0, static_cast<std::uint32_t>(legs_.size()) - 1)];
    FlitStream run;
    run.transaction = leg.transaction;
    run.in_port = leg.port;
    run.spacing = TimeFs(pick(0, 4));
    run.sequence = sequence_[leg.port];
    run.sequence_step = kSequenceStep * pick(1, 3);
    run.first = leg.next;
    run.count = pick(1, 9);
    run.time = std::max(leg.time, earliest_) + TimeFs(pick(0, 6));
    leg.time = run.last_time();
    leg.next += run.count;
    // Sequences ascend with time on a port only as far as the queue needs it: they are unique.
    sequence_[leg.port] += run.count * run.sequence_step;
    queue.add(run);
    remember(run);
  }
  void remember(const FlitStream& run) {
    for (std::uint32_t i = 0; i < run.count; ++i) plain.push_back({run.key(i), leg_of(run), run.first + i});
    std::sort(plain.begin(), plain.end());
  }
  // Takes flits below a random limit; true when they are the first ones of the plain list.
  bool take() {
    ArrivalKey limit = plain[pick(0, static_cast<std::uint32_t>(plain.size()) - 1)].key;
    if (!(plain.front().key < limit)) limit = limit.next();
    StreamBuffer batch;
    const std::size_t count = queue.take_batch(limit, batch);
    taken.assign(batch.streams, batch.streams + count);
    std::vector<PlainFlit> flits;
    for (const FlitStream& run : taken) {
      for (std::uint32_t i = 0; i < run.count; ++i) flits.push_back({run.key(i), leg_of(run), run.first + i});
    }
    std::sort(flits.begin(), flits.end());
    if (flits.empty() || flits.size() > plain.size() || !(flits.back().key < limit)) return false;
    const bool first_ones = std::equal(flits.begin(), flits.end(), plain.begin());
    plain.erase(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(flits.size()));
    return first_ones;
  }
  void roll_back() {
    const std::size_t leg = pick(0, static_cast<std::uint32_t>(legs_.size()) - 1);
    const std::uint32_t first = pick(0, legs_[leg].next);
    const auto rolled_back = [&](const PlainFlit& f) { return f.leg == leg && f.index >= first; };
    if (pick(0, 1) == 0) {
      queue.roll_back(*legs_[leg].transaction, Leg::request, first, 0_fs);
    } else {
      std::uint32_t count = 0;
      TimeFs until = 0_fs;
      for (const PlainFlit& flit : plain) {
        if (!rolled_back(flit)) continue;
        ++count;
        until = flit.key.time;
      }
      queue.roll_back(*legs_[leg].transaction, Leg::request, first, count, until + TimeFs(pick(0, 3)));
    }
    plain.erase(std::remove_if(plain.begin(), plain.end(), rolled_back), plain.end());
    legs_[leg].next = std::min(legs_[leg].next, first);
  }
  bool holds_the_same() const {
    std::vector<PlainFlit> flits;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      if (i > 0 && queue[i].key() < queue[i - 1].key()) return false;
      for (std::uint32_t j = 0; j < queue[i].count; ++j)
        flits.push_back({queue[i].key(j), leg_of(queue[i]), queue[i].first + j});
    }
    std::sort(flits.begin(), flits.end());
    return flits == plain;
  }

  ArrivalQueue queue;
  std::vector<PlainFlit> plain;
  std::vector<FlitStream> taken;

 private:
  struct State {
    payload::Transaction* transaction;
    std::uint16_t port;
    std::uint32_t next = 0;
    TimeFs time = 0_fs;
  };
  std::size_t leg_of(const FlitStream& run) const {
    std::size_t i = 0;
    while (legs_[i].transaction != run.transaction) ++i;
    return i;
  }

  payload::FabricRoute route_;
  payload::TransactionPool pool_;
  std::vector<State> legs_;
  std::uint64_t sequence_[3] = {};
  TimeFs earliest_ = 0_fs;
};

RC_GTEST_PROP(ArrivalQueue, GivesFlitsOutInTheOrderOfTheirKeys, ()) {
  Arrivals arrivals(pick(1, 24));
  for (std::uint32_t round = pick(1, 40); round > 0; --round) {
    arrivals.announce();
    if (pick(0, 2) == 0) RC_ASSERT(arrivals.take());
    RC_ASSERT(arrivals.holds_the_same());
  }
  while (!arrivals.plain.empty()) RC_ASSERT(arrivals.take());
  RC_ASSERT(arrivals.queue.empty());
}

RC_GTEST_PROP(ArrivalQueue, TakesBackWhatItGave, ()) {
  Arrivals arrivals(pick(1, 24));
  for (std::uint32_t round = pick(4, 40); round > 0; --round) arrivals.announce();
  RC_ASSERT(arrivals.take());
  for (const FlitStream& run : arrivals.taken) {
    const FlitStream rest = run.tail(pick(0, run.count - 1));
    arrivals.queue.put_back(rest);
    arrivals.remember(rest);
    RC_ASSERT(arrivals.holds_the_same());
  }
}

RC_GTEST_PROP(ArrivalQueue, ForgetsTheRolledBackEndOfALeg, ()) {
  Arrivals arrivals(pick(1, 6));
  for (std::uint32_t round = pick(1, 20); round > 0; --round) {
    arrivals.announce();
    if (pick(0, 3) == 0) arrivals.roll_back();
    RC_ASSERT(arrivals.holds_the_same());
  }
}

}  // namespace
}  // namespace kb::modules
