// Reports of a retired batch to the wire's activity recorder and per-flit observers.
#include <utility>

#include "modules/fabric/wire.h"
#include "modules/fabric/wire_merge.h"

namespace kb::modules {

// Gaps between interleaved streams count as evenly distributed over the batch.
void Wire::record_several(const Batch& batch) {
  record::Usage all;
  TimeFs first = kNever;
  for (std::uint32_t j = 0; j < batch.streams; ++j) {
    const FlitStream& flits = streams_[j];
    const account::Sums sums{flits.count * occupancy_of(flits), waits_.front(), bytes_of(flits), flits.count};
    waits_.pop_front();
    use_.account->add(flits.place, sums);
    first = std::min(first, flits.time);
    all.busy += sums.busy;
    all.bytes += sums.bytes;
    accumulate(all.wait, sums.wait);
  }
  all.begin = std::max({batch.available_before, batch.floor, first});
  all.end = batch.available_after;
  all.queue = queue_before(batch.longest_wait);
  use_.series->add(all);
}

void Wire::record_single(const Batch& batch, const FlitStream& flits) const {
  const TimeFs occupancy = occupancy_of(flits);
  account::Sums sums{flits.count * occupancy, 0_fs, bytes_of(flits), flits.count};
  if (batch.longest_wait == 0_fs) {
    // std::max with an initializer list of three would slow this function down by a tenth.
    use_.series->add({std::max(std::max(batch.available_before, batch.floor), flits.time), batch.available_after,
                      sums.busy, 0_fs, sums.bytes, 0});
  } else if (flits.count == 1) {
    sums.wait = batch.longest_wait;
    use_.series->add({batch.available_after - occupancy, batch.available_after, occupancy, sums.wait, sums.bytes,
                      queue_before(sums.wait)});
  } else {
    sums.wait = record_queued(batch, flits);
  }
  use_.account->add(flits.place, sums);
}

// Records several flits, some of which wait; returns the sum of their waits. Flits leave back to back while there is a
// backlog, then as they arrive: at most two records.
TimeFs Wire::record_queued(const Batch& batch, const FlitStream& flits) const {
  const SingleStream stream = single(batch, flits);
  const std::uint64_t queue = queue_before(batch.longest_wait);
  const std::uint32_t packed = stream.packed();
  const std::uint64_t bytes = bytes_of(flits);
  TimeFs all = 0_fs;
  const auto add = [&](std::uint32_t first, std::uint32_t count, std::uint64_t part) {
    const TimeFs begin = stream.available_after(first) - stream.occupancy;
    const TimeFs wait = stream.wait(first, count);
    use_.series->add({begin, stream.available_after(first + count - 1), count * stream.occupancy, wait, part, queue});
    accumulate(all, wait);
  };
  const std::uint64_t packed_bytes = bytes / flits.count * packed;
  if (packed > 0) add(0, packed, packed_bytes);
  if (packed < flits.count) add(packed, flits.count - packed, bytes - packed_bytes);
  return all;
}

// Total wait of `count` flits from `first` on, which leave either all back to back or all as they arrive.
TimeFs Wire::SingleStream::wait(std::uint32_t first, std::uint32_t count) const {
  const auto wait_at = [&](std::uint32_t i) { return available_after(i) - occupancy - ready(i); };
  // Flits that the floor delays; the wait of these changes at another rate.
  const auto held = static_cast<std::uint32_t>(std::clamp<std::int64_t>(flits.held_until(floor), first, first + count));
  const auto sum = [&](std::uint32_t from, std::uint32_t to) {
    return from == to ? Wide{0} : static_cast<Wide>(wait_at(from).fs() + wait_at(to - 1).fs()) * (to - from) / 2;
  };
  const Wide all = sum(first, held) + sum(held, first + count);
  return TimeFs(static_cast<std::int64_t>(std::min<Wide>(all, kTimeEnd.fs())));
}

// Passes every flit of the oldest batch to the per-flit observers, which is retired then.
void Wire::show(const Batch& batch) const {
  std::uint32_t shown = std::exchange(viewers_->shown, 0);
  merge(batch, 0, batch.flits, [&](std::uint32_t j, std::uint32_t i, const Passage& flit) {
    const ShownFlit final{streams_[j], viewers_->transaction(j), i, flit.ready, flit.start, flit.end};
    if (viewers_->hops != nullptr) viewers_->hops->add(final);
    if (shown > 0) {
      --shown;
    } else if (viewers_->waves != nullptr) {
      viewers_->waves->add(final);
    }
  });
  viewers_->pop_front(batch.streams);
}

// Reports to waveforms the flits of the oldest batch that were ready before `until` and can no longer be rolled back. A
// batch may last for a millisecond.
void Wire::show_front(TimeFs until) {
  const Batch& batch = batches_.front();
  std::uint32_t ready = 0;
  for (std::uint32_t j = 0; batch.floor < until && j < batch.streams; ++j) {
    ready += streams_[j].count_before(ArrivalKey::at(until));
  }
  if (ready <= viewers_->shown) return;
  std::uint32_t shown = std::exchange(viewers_->shown, ready);
  merge(batch, 0, ready, [&](std::uint32_t j, std::uint32_t i, const Passage& flit) {
    if (shown > 0) {
      --shown;
    } else {
      viewers_->waves->add({streams_[j], viewers_->transaction(j), i, flit.ready, flit.start, flit.end});
    }
  });
}

TimeFs Wire::show_until(TimeFs now, TimeFs waiting) {
  retire(now);
  TimeFs until = std::min(now, waiting);
  if (!batches_.empty()) show_front(now);
  if (batches_.size() > 1) {  // the first flit may be waiting
    const Batch& second = batches_[1];
    const std::size_t base = base_of(1);
    TimeFs first = kNever;
    for (std::size_t j = base; j < base + second.streams; ++j) first = std::min(first, streams_[j].time);
    until = std::min(until, std::max(first, second.floor));
  }
  viewers_->waves->show_until(until);
  return until;
}

void Wire::Viewers::finish() const {
  if (waves != nullptr) waves->finish();
  if (hops != nullptr) hops->finish();
}

}  // namespace kb::modules
