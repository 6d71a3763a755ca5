#include "modules/fabric/channel.h"

namespace kb::modules {

using payload::kSequenceStep;
using payload::Segment;

int Channel::commit(const FlitRun& flits, TimeFs floor, std::uint32_t flit_bytes, Segment out[2]) {
  const TimeFs occupancy =
      flit_bytes == params_.flit_bytes ? params_.occupancy : occupancy_fs(flit_bytes, params_.bw_gbs);
  Run& run = runs_.push_back();
  run.flits = flits;
  run.floor = floor;
  run.occupancy = occupancy;
  run.flit_bytes = flit_bytes;
  run.available_before = available_;
  run.start = std::max({available_, floor, flits.time});
  run.out_sequence = next_sequence_;
  available_ = run.available_after(flits.count - 1);
  next_sequence_ += std::uint64_t{flits.count} * kSequenceStep;
  latest_arrival_ = flits.last_time();

  // The backlog (start - a0) drains by (spacing - occupancy) per flit; until then flits leave back to back.
  std::uint32_t packed = flits.count;
  const TimeFs backlog = run.start - flits.time;
  if (flits.count > 1 && flits.spacing > occupancy) {
    const TimeFs gain = flits.spacing - occupancy;
    packed = static_cast<std::uint32_t>(std::min<TimeFs>((backlog + gain - 1) / gain, flits.count));
  }
  const auto fill = [&](Segment& s, std::uint32_t i, std::uint32_t count, TimeFs spacing) {
    s.time = run.available_after(i) + params_.propagation;
    s.spacing = spacing;
    s.first = flits.first + i;
    s.count = count;
    s.sequence = run.out_sequence + i * kSequenceStep;
    s.sequence_step = kSequenceStep;
    s.leg = flits.leg;
  };
  int segments = 0;
  if (packed > 0) fill(out[segments++], 0, packed, occupancy);
  if (packed < flits.count) fill(out[segments++], packed, flits.count - packed, flits.spacing);
  return segments;
}

void Channel::cut(const ArrivalKey& limit, ICutHandler& handler) {
  while (!runs_.empty()) {
    Run& run = runs_.back();
    const std::uint32_t kept = run.flits.count_before(limit);
    if (kept == run.flits.count) return;
    const FlitRun withdrawn = run.flits.tail(kept);
    next_sequence_ = run.out_sequence + kept * kSequenceStep;
    if (kept == 0) {
      available_ = run.available_before;
      runs_.pop_back();
    } else {
      run.flits.count = kept;
      available_ = run.available_after(kept - 1);
    }
    handler.on_cut(withdrawn);
    if (kept != 0) return;
  }
}

bool Channel::find(const payload::Transaction& transaction, payload::Leg leg, std::uint32_t from,
                   ArrivalKey& key) const {
  bool found = false;
  for (std::size_t i = runs_.size(); i-- > 0;) {
    const FlitRun& flits = runs_[i].flits;
    if (!flits.same_leg(transaction, leg)) continue;
    if (flits.first + flits.count <= from) break;
    key = flits.key(std::max(from, flits.first) - flits.first);
    found = true;
  }
  return found;
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
  ++statistics_.messages;
}

void Channel::send_message(TimeFs ready, const ArrivalKey& key, Segment& out) {
  // Flits precede the message when (their ready time, their arrival key) is lower.
  for (std::size_t i = runs_.size(); i-- > 0;) {
    const Run& run = runs_[i];
    if (run.floor > ready) continue;
    const bool by_key = run.floor == ready || key.time == ready;
    const std::uint32_t preceding = run.flits.count_before(by_key ? key : ArrivalKey{ready, 0, 0, 0});
    if (preceding == 0) continue;
    depart_message(std::max(ready, run.available_after(preceding - 1)),
                   run.out_sequence + (preceding - 1) * kSequenceStep,
                   i + 1 == runs_.size() && preceding == run.flits.count, out);
    return;
  }
  if (runs_.empty()) {
    depart_message(std::max(ready, available_), 0, true, out);
  } else {
    const Run& next = runs_.front();
    depart_message(std::max(ready, next.available_before), next.out_sequence - kSequenceStep, false, out);
  }
}

void Channel::slip_message(TimeFs ready, Segment& out) {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Run& run = runs_[i];
    if (run.available_after(run.flits.count - 1) <= ready) continue;
    std::uint32_t low = 0;  // first flit that is not through at `ready`
    for (std::uint32_t high = run.flits.count - 1; low < high;) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (run.available_after(middle) > ready) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    const TimeFs end = run.available_after(low);
    const bool in_transfer = end - run.occupancy < ready;
    const std::uint64_t behind = run.out_sequence + low * kSequenceStep - (in_transfer ? 0 : kSequenceStep);
    const bool last = in_transfer && i + 1 == runs_.size() && low + 1 == run.flits.count;
    depart_message(in_transfer ? end : ready, behind, last, out);
    return;
  }
  depart_message(ready, 0, true, out);
}

void Channel::settle(TimeFs now) {
  while (!runs_.empty()) {
    const Run& run = runs_.front();
    const std::uint32_t last = run.flits.count - 1;
    if ((params_.keep_until_sent ? run.available_after(last) : run.ready(last)) >= now) return;
    count_run(run);
    runs_.pop_front();
  }
}

void Channel::count_run(const Run& run) {
  const FlitRun& flits = run.flits;
  statistics_.flits += flits.count;
  statistics_.bytes += std::uint64_t{flits.count} * run.flit_bytes;
  statistics_.busy += static_cast<TimeFs>(flits.count) * run.occupancy;
  // The wait available - occupancy - ready grows while flits are held back by the floor or arrive faster than they
  // leave.
  std::uint32_t worst = 0;
  if (flits.spacing <= run.occupancy) {
    worst = flits.count - 1;
  } else if (run.floor > flits.time) {
    worst = static_cast<std::uint32_t>(std::min<TimeFs>((run.floor - flits.time) / flits.spacing, flits.count - 1));
  }
  TimeFs wait = run.available_after(worst) - run.occupancy - run.ready(worst);
  if (worst + 1 < flits.count) {  // the first that is not held back can still find a longer queue
    wait = std::max(wait, run.available_after(worst + 1) - run.occupancy - run.ready(worst + 1));
  }
  statistics_.longest_wait = std::max(statistics_.longest_wait, wait);
  if (observer_ != nullptr) trace_run(run);
}

void Channel::observe(elab::ISignalObserver* observer, elab::SignalId busy, elab::SignalId queue) {
  observer_ = observer;
  busy_signal_ = busy;
  queue_signal_ = queue;
}

// Changes are per flit; the observer orders them by time and drops repetitions.
void Channel::trace_run(const Run& run) {
  for (std::uint32_t i = 0; i < run.flits.count; ++i) {
    const TimeFs end = run.available_after(i);
    if (busy_signal_ != elab::kNoSignal && run.occupancy > 0) {
      observer_->change(busy_signal_, end - run.occupancy, 1);
      observer_->change(busy_signal_, end, 0);
    }
    if (queue_signal_ != elab::kNoSignal && run.occupancy > 0) {
      const TimeFs wait = end - run.occupancy - run.ready(i);
      observer_->change(queue_signal_, run.ready(i),
                        static_cast<std::uint64_t>((wait + run.occupancy - 1) / run.occupancy));
    }
  }
}

}  // namespace kb::modules
