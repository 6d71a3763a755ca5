#include "modules/fabric/channel.h"

namespace kb::modules {

using payload::kSequenceStep;
using payload::Segment;

namespace {
constexpr std::size_t kMostShown = 0xffff;  // on the 16 bits of the queue signal

// The segments in the making of a braid's strands, each set up at the strand's first flit.
union OpenSegments {
  OpenSegments() {}
  struct {
    Segment segment;
    TimeFs last_time;
    std::uint64_t last_sequence;
  } of[kMostStrands];
};
}  // namespace

template <typename F>
void Channel::merge(const Braid& braid, std::size_t base, std::uint32_t flits, F&& f) const {
  TimeFs next[kMostStrands];
  std::uint32_t taken[kMostStrands];
  const FlitRun* runs[kMostStrands];
  const std::uint32_t strands = braid.strands;
  for (std::uint32_t j = 0; j < strands; ++j) {
    runs[j] = &strands_[base + j];
    next[j] = runs[j]->time_of(0);
    taken[j] = 0;
  }
  TimeFs available = braid.available_before;
  for (; flits > 0; --flits) {
    std::uint32_t best = 0;
    TimeFs first = next[0];
    bool tied = false;
    for (std::uint32_t j = 1; j < strands; ++j) {  // without a branch: which strand is next is hard to predict
      const bool earlier = next[j] < first;
      tied = (tied & !earlier) | (next[j] == first);
      best = earlier ? j : best;
      first = earlier ? next[j] : first;
    }
    for (std::uint32_t j = tied ? best + 1 : strands; j < strands; ++j) {
      if (next[j] == first && runs[j]->key(taken[j]) < runs[best]->key(taken[best])) best = j;
    }
    const FlitRun& run = *runs[best];
    const TimeFs ready = std::max(first, braid.floor);
    const TimeFs start = std::max(available, ready);
    available = start + occupancy_of(run);
    f(best, taken[best], Passage{ready, start, available});
    next[best] = ++taken[best] == run.count ? kNever : run.time_of(taken[best]);
  }
}

void Channel::commit(const FlitRun* strands, std::size_t count, TimeFs floor, IWireUser& user) {
  const std::uint64_t begin = braids_.empty() ? 0 : braids_.back().begin + braids_.back().strands;
  Braid& braid = braids_.push_back();
  braid.begin = begin;
  braid.floor = floor;
  braid.available_before = available_;
  braid.longest_wait = 0;
  braid.last_time = -1;
  braid.out_sequence = next_sequence_;
  braid.flits = 0;
  braid.strands = static_cast<std::uint32_t>(count);
  for (std::size_t i = 0; i < count; ++i) {
    braid.flits += strands[i].count;
    braid.last_time = std::max(braid.last_time, strands[i].last_time());
    strands_.push_back() = strands[i];
    this->count(strands[i]);
  }
  latest_time_ = braid.last_time;
  next_sequence_ += std::uint64_t{braid.flits} * kSequenceStep;
  if (count == 1) {
    measure_lone(braid, strands[0]);
    promise_lone(braid, strands[0], user);
  } else {
    promise_strands(braid, strands_.size() - count, user);
  }
  available_ = braid.available_after;
}

// At most two segments: the backlog (start - a0) drains by (spacing - occupancy) per flit; until then flits leave back
// to back, then as they arrive.
void Channel::promise_lone(const Braid& braid, const FlitRun& flits, IWireUser& user) {
  const Lone run = lone(braid, flits);
  std::uint32_t packed = flits.count;
  if (flits.count > 1 && flits.spacing > run.occupancy) {
    const TimeFs gain = flits.spacing - run.occupancy;
    packed = static_cast<std::uint32_t>(std::min<TimeFs>((run.start - flits.time + gain - 1) / gain, flits.count));
  }
  const auto promise = [&](std::uint32_t i, std::uint32_t count, TimeFs spacing) {
    Segment s;
    s.time = run.available_after(i) + params_.propagation;
    s.spacing = spacing;
    s.first = flits.first + i;
    s.count = count;
    s.sequence = braid.out_sequence + i * kSequenceStep;
    s.sequence_step = kSequenceStep;
    s.leg = flits.leg;
    s.hop = flits.next_hop();
    user.on_promise(flits, s);
  };
  if (packed > 0) promise(0, packed, run.occupancy);
  if (packed < flits.count) promise(packed, flits.count - packed, flits.spacing);
}

void Channel::promise_strands(Braid& braid, std::size_t base, IWireUser& user) {
  OpenSegments open;
  std::uint32_t whole = 0;  // bits of the strands whose last segment is complete but not told yet: soon told, it would
                            // be read while it is still being written
  const auto tell_whole = [&] {
    for (; whole != 0; whole &= whole - 1) {
      const int j = __builtin_ctz(whole);
      user.on_promise(strands_[base + static_cast<std::size_t>(j)], open.of[j].segment);
    }
  };
  std::uint64_t sequence = braid.out_sequence;
  merge(braid, base, braid.flits, [&](std::uint32_t j, std::uint32_t i, const Passage& flit) {
    const FlitRun& run = strands_[base + j];
    const TimeFs delivered = flit.end + params_.propagation;
    Segment& s = open.of[j].segment;
    const TimeFs gap = i == 0 ? 0 : delivered - open.of[j].last_time;
    const std::uint64_t step = i == 0 ? 0 : sequence - open.of[j].last_sequence;
    if (i > 0 && (s.count == 1 || (gap == s.spacing && step == s.sequence_step))) {
      s.spacing = gap;
      s.sequence_step = step;
      ++s.count;
    } else {
      if (i > 0) {
        tell_whole();  // before a later strand of the same leg goes on
        user.on_promise(run, s);
      }
      s.time = delivered;
      s.spacing = 0;
      s.first = run.first + i;
      s.count = 1;
      s.sequence = sequence;
      s.sequence_step = kSequenceStep;
      s.leg = run.leg;
      s.hop = run.next_hop();
    }
    if (i + 1 == run.count) whole |= 1u << j;
    open.of[j].last_time = delivered;
    open.of[j].last_sequence = sequence;
    sequence += kSequenceStep;
    braid.longest_wait = std::max(braid.longest_wait, flit.start - flit.ready);
    braid.available_after = flit.end;
  });
  tell_whole();
}

void Channel::measure_lone(Braid& braid, const FlitRun& flits) const {
  const Lone run = lone(braid, flits);
  braid.available_after = run.available_after(flits.count - 1);
  braid.longest_wait = run.longest_wait();
}

// Finds a braid's end and longest wait again after some of its flits were withdrawn.
void Channel::measure(Braid& braid, std::size_t base) {
  braid.last_time = -1;
  for (std::size_t i = base; i < strands_.size(); ++i)
    braid.last_time = std::max(braid.last_time, strands_[i].last_time());
  if (braid.strands == 1) {
    measure_lone(braid, strands_[base]);
    return;
  }
  braid.longest_wait = 0;
  merge(braid, base, braid.flits, [&](std::uint32_t, std::uint32_t, const Passage& flit) {
    braid.longest_wait = std::max(braid.longest_wait, flit.start - flit.ready);
    braid.available_after = flit.end;
  });
}

void Channel::cut(const ArrivalKey& limit, IWireUser& user) {
  bool more = true;
  while (more && !braids_.empty()) {
    Braid& braid = braids_.back();
    const TimeFs floor = braid.floor, through = braid.available_after;
    const std::size_t base = strands_.size() - braid.strands;
    StrandBuffer withdrawn;
    std::size_t runs = 0;
    std::uint32_t kept_strands = 0, kept_flits = 0;
    for (std::uint32_t j = 0; j < braid.strands; ++j) {
      const FlitRun& run = strands_[base + j];
      const std::uint32_t kept = run.count_before(limit);
      if (kept < run.count) withdrawn.runs[runs++] = run.tail(kept);
      if (kept == 0) continue;
      FlitRun& place = strands_[base + kept_strands++];
      if (&place != &run) place = run;
      place.count = kept;
      kept_flits += kept;
    }
    if (runs == 0) break;
    while (strands_.size() > base + kept_strands) strands_.pop_back();
    next_sequence_ = braid.out_sequence + std::uint64_t{kept_flits} * kSequenceStep;
    more = kept_flits == 0;
    if (more) {
      available_ = braid.available_before;
      braids_.pop_back();
    } else {
      braid.flits = kept_flits;
      braid.strands = kept_strands;
      measure(braid, base);
      available_ = braid.available_after;
    }
    for (std::size_t i = 0; i < runs; ++i) {
      const FlitRun& run = withdrawn.runs[i];
      discount(run);
      const TimeFs start = std::max({available_, floor, run.time_of(0)});
      user.on_cut(run, {start + occupancy_of(run) + params_.propagation, through + params_.propagation});
    }
  }
  latest_time_ = braids_.empty() ? -1 : braids_.back().last_time;
}

// True when the newest braid has a flit whose key is not below `limit`.
bool Channel::reaches(const ArrivalKey& limit) const {
  if (braids_.empty()) return false;
  for (std::size_t i = strands_.size() - braids_.back().strands; i < strands_.size(); ++i) {
    if (!(strands_[i].last_key() < limit)) return true;
  }
  return false;
}

bool Channel::find(const payload::Transaction& transaction, payload::Leg leg, std::uint32_t first, ArrivalKey& key,
                   const TimeWindow& window) const {
  const std::size_t begin = count_leading([&](std::size_t b) { return braids_[b].last_time < window.from; });
  if (begin == braids_.size()) return false;
  for (std::size_t i = base_of(begin); i < strands_.size(); ++i) {  // in order of their keys, so a leg's in its order
    const FlitRun& flits = strands_[i];
    if (flits.time_of(0) > window.until) return false;
    if (!flits.same_leg(transaction, leg) || flits.first + flits.count <= first) continue;
    // Of an earlier use of the transaction; flits beside it in the braid are still to come.
    if (flits.last_time() < settled_) continue;
    key = flits.key(std::max(first, flits.first) - flits.first);
    return true;
  }
  return false;
}

// When the wire is free after the first `flits` (at least 1) of a braid.
TimeFs Channel::available_after(const Braid& braid, std::size_t base, std::uint32_t flits) const {
  if (flits == braid.flits) return braid.available_after;
  if (braid.strands == 1) return lone(braid, strands_[base]).available_after(flits - 1);
  TimeFs available = 0;
  merge(braid, base, flits, [&](std::uint32_t, std::uint32_t, const Passage& flit) { available = flit.end; });
  return available;
}

// The message travels behind the flit with sequence number `behind`, or behind everything when `last`.
void Channel::depart_message(TimeFs at, std::uint64_t behind, bool last, Segment& out) {
  if (last) {  // nothing committed so far can be cut any more, so it may take a number of its own
    message_sequence_ = next_sequence_;
    next_sequence_ += kSequenceStep;
  } else {
    message_sequence_ = std::max(message_sequence_, behind) + 1;
  }
  out.time = at + params_.propagation;
  out.spacing = 0;
  out.first = 0;
  out.count = 1;
  out.sequence = message_sequence_;
  out.sequence_step = kSequenceStep;
  ++statistics_.messages;
}

void Channel::send_message(TimeFs ready, const ArrivalKey& key, Segment& out) {
  // Flits precede the message when (their ready time, their arrival key) is lower. Neither floors nor keys ever fall
  // from braid to braid. A key beyond `ready` only says that the message comes behind what a floor holds until then.
  const auto limit_of = [&](const Braid& braid) {
    return braid.floor == ready || key.time == ready ? key : ArrivalKey::at(ready);
  };
  const std::size_t earlier = count_leading([&](std::size_t b) {
    const Braid& braid = braids_[b];
    if (braid.floor > ready) return false;
    const std::size_t base = base_of(b);
    const ArrivalKey limit = limit_of(braid);
    for (std::uint32_t j = 0; j < braid.strands; ++j) {
      if (strands_[base + j].key() < limit) return true;
    }
    return false;
  });
  if (earlier > 0) {
    const Braid& braid = braids_[earlier - 1];
    const std::size_t base = base_of(earlier - 1);
    const ArrivalKey limit = limit_of(braid);
    std::uint32_t preceding = 0;
    for (std::uint32_t j = 0; j < braid.strands; ++j) preceding += strands_[base + j].count_before(limit);
    depart_message(std::max(ready, available_after(braid, base, preceding)),
                   braid.out_sequence + (preceding - 1) * kSequenceStep,
                   earlier == braids_.size() && preceding == braid.flits, out);
    return;
  }
  if (braids_.empty()) {
    depart_message(std::max(ready, available_), 0, true, out);
  } else {
    const Braid& next = braids_.front();
    depart_message(std::max(ready, next.available_before), next.out_sequence - kSequenceStep, false, out);
  }
}

void Channel::slip_message(TimeFs ready, Segment& out) {
  const std::size_t b = count_leading([&](std::size_t i) { return braids_[i].available_after <= ready; });
  if (b < braids_.size()) {
    const Braid& braid = braids_[b];
    const Lone run = lone(braid, strands_[b]);
    std::uint32_t low = 0;  // first flit that is not through at `ready`
    for (std::uint32_t high = braid.flits - 1; low < high;) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (run.available_after(middle) > ready) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    const TimeFs end = run.available_after(low);
    const bool in_transfer = end - run.occupancy < ready;
    const std::uint64_t behind = braid.out_sequence + low * kSequenceStep - (in_transfer ? 0 : kSequenceStep);
    const bool last = in_transfer && b + 1 == braids_.size() && low + 1 == braid.flits;
    depart_message(in_transfer ? end : ready, behind, last, out);
    return;
  }
  depart_message(ready, 0, true, out);
}

void Channel::settle(TimeFs now) {
  settled_ = now;
  while (!braids_.empty()) {
    const Braid& braid = braids_.front();
    const TimeFs until = params_.keep_until_sent ? braid.available_after : std::max(braid.floor, braid.last_time);
    if (until >= now) return;
    statistics_.longest_wait = std::max(statistics_.longest_wait, braid.longest_wait);
    if (observer_ != nullptr) trace(braid);
    for (std::uint32_t j = braid.strands; j > 0; --j) strands_.pop_front();
    braids_.pop_front();
  }
  // What is still to be committed is not ready before now.
  if (observer_ != nullptr && braids_.empty()) trace_starts(now - 1);
}

// The wait available - occupancy - ready grows while flits are held back by the floor or arrive faster than they leave.
TimeFs Channel::Lone::longest_wait() const {
  std::uint32_t worst = 0;
  if (flits.spacing <= occupancy) {
    worst = flits.count - 1;
  } else if (floor > flits.time) {
    worst = static_cast<std::uint32_t>(std::min<TimeFs>((floor - flits.time) / flits.spacing, flits.count - 1));
  }
  const TimeFs wait = available_after(worst) - occupancy - ready(worst);
  if (worst + 1 == flits.count) return wait;
  // The first that is not held back can still find a longer queue.
  return std::max(wait, available_after(worst + 1) - occupancy - ready(worst + 1));
}

std::uint64_t Channel::bytes_of(const FlitRun& flits) const {
  return std::uint64_t{flits.count} * (flits.flit_bytes == 0 ? params_.flit_bytes : flits.flit_bytes);
}

void Channel::count(const FlitRun& flits) {
  statistics_.flits += flits.count;
  statistics_.bytes += bytes_of(flits);
  statistics_.busy += static_cast<TimeFs>(flits.count) * occupancy_of(flits);
}

void Channel::discount(const FlitRun& flits) {
  statistics_.flits -= flits.count;
  statistics_.bytes -= bytes_of(flits);
  statistics_.busy -= static_cast<TimeFs>(flits.count) * occupancy_of(flits);
}

void Channel::observe(contract::ISignalObserver* observer, contract::SignalId busy, contract::SignalId queue) {
  observer_ = observer;
  busy_signal_ = busy;
  queue_signal_ = queue;
}

// Changes are per flit; the observer orders them by time and drops repetitions. Called for the oldest braid.
void Channel::trace(const Braid& braid) {
  merge(braid, 0, braid.flits, [&](std::uint32_t, std::uint32_t, const Passage& flit) {
    if (flit.end == flit.start) return;
    if (busy_signal_ != contract::kNoSignal) {
      observer_->change(busy_signal_, flit.start, 1);
      observer_->change(busy_signal_, flit.end, 0);
    }
    if (queue_signal_ == contract::kNoSignal) return;
    trace_starts(flit.ready);
    if (flit.start == flit.ready) return;
    traced_starts_.push_back(flit.start);
    observer_->change(queue_signal_, flit.ready, std::min(traced_starts_.size(), kMostShown));
  });
}

// Flits that started up to then wait no longer.
void Channel::trace_starts(TimeFs until) {
  while (!traced_starts_.empty() && traced_starts_.front() <= until) {
    const TimeFs start = traced_starts_.front();
    traced_starts_.pop_front();
    observer_->change(queue_signal_, start, std::min(traced_starts_.size(), kMostShown));
  }
}

}  // namespace kb::modules
