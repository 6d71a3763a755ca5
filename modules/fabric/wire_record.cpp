// What a wire tells its recorder and those who see single flits about a batch that has left.
#include "modules/fabric/wire.h"
#include "modules/fabric/wire_merge.h"

namespace kb::modules {

// The oldest batch.
void Wire::record(const Batch& batch) const {
  if (batch.streams == 1) {
    record_single(batch, streams_.front());
    return;
  }
  if (record_back_to_back(batch)) return;
  record::Usage run;  // flits without a gap between them
  TimeFs longest = 0_fs;
  const auto end_run = [&] {
    if (longest > 0_fs) run.queue = static_cast<std::uint64_t>(periods(longest, params_.occupancy));
    series_->add(run);
    longest = 0_fs;
  };
  merge(batch, 0, batch.flits, [&](std::uint32_t j, std::uint32_t, const Passage& flit) {
    if (flit.start != run.end) {
      end_run();
      run = {flit.start, flit.start};
    }
    run.end = flit.end;
    run.busy += flit.end - flit.start;
    accumulate(run.wait, flit.start - flit.ready);
    run.bytes += streams_[j].flit_bytes == 0 ? params_.flit_bytes : streams_[j].flit_bytes;
    longest = std::max(longest, flit.start - flit.ready);
  });
  end_run();
}

// Without merging: whole flits between which the wire is never idle. False when they are not of that kind.
bool Wire::record_back_to_back(const Batch& batch) const {
  TimeFs first = kNever;
  for (std::uint32_t j = 0; j < batch.streams; ++j) {
    if (streams_[j].flit_bytes != 0) return false;
    first = std::min(first, streams_[j].time_of(0));
  }
  const TimeFs begin = std::max({batch.available_before, batch.floor, first});
  const TimeFs busy = batch.flits * params_.occupancy;
  if (batch.available_after - begin != busy) return false;
  const auto sum = [](TimeFs from, TimeFs step, std::int64_t count) {
    return static_cast<Wide>(from.fs()) * count + static_cast<Wide>(step.fs()) * count * (count - 1) / 2;
  };
  Wide wait = sum(begin, params_.occupancy, batch.flits);
  for (std::uint32_t j = 0; j < batch.streams; ++j) {
    const FlitStream& flits = streams_[j];
    const std::int64_t held = std::min<std::int64_t>(flits.count, flits.held_until(batch.floor));
    wait -= sum(batch.floor, 0_fs, held) + sum(flits.time + held * flits.spacing, flits.spacing, flits.count - held);
  }
  series_->add({begin, batch.available_after, busy,
                TimeFs(static_cast<std::int64_t>(std::min<Wide>(wait, kTimeEnd.fs()))),
                std::uint64_t{batch.flits} * params_.flit_bytes,
                static_cast<std::uint64_t>(periods(batch.longest_wait, params_.occupancy))});
  return true;
}

// Back to back while there is a backlog, then as flits arrive.
void Wire::record_single(const Batch& batch, const FlitStream& flits) const {
  const auto queue =
      batch.longest_wait == 0_fs ? 0 : static_cast<std::uint64_t>(periods(batch.longest_wait, params_.occupancy));
  if (flits.count == 1) {
    const TimeFs occupancy = occupancy_of(flits);
    series_->add({batch.available_after - occupancy, batch.available_after, occupancy, batch.longest_wait,
                  bytes_of(flits), queue});
    return;
  }
  const SingleStream stream = single(batch, flits);
  const std::uint32_t packed = stream.packed();
  const std::uint64_t bytes = bytes_of(flits);
  const auto add = [&](std::uint32_t first, std::uint32_t count, std::uint64_t part) {
    const TimeFs begin = stream.available_after(first) - stream.occupancy;
    series_->add({begin, stream.available_after(first + count - 1), count * stream.occupancy, stream.wait(first, count),
                  part, queue});
  };
  const std::uint64_t packed_bytes = bytes / flits.count * packed;
  if (packed > 0) add(0, packed, packed_bytes);
  if (packed < flits.count) add(packed, flits.count - packed, bytes - packed_bytes);
}

// Of `count` flits from `first` on, together. Those of one call leave back to back, or all as they arrive.
TimeFs Wire::SingleStream::wait(std::uint32_t first, std::uint32_t count) const {
  const auto of = [&](std::uint32_t i) { return available_after(i) - occupancy - ready(i); };
  // Flits that the floor holds back: for them the wait changes at another rate.
  const auto held = static_cast<std::uint32_t>(std::clamp<std::int64_t>(flits.held_until(floor), first, first + count));
  const auto sum = [&](std::uint32_t from, std::uint32_t to) {
    return from == to ? Wide{0} : static_cast<Wide>(of(from).fs() + of(to - 1).fs()) * (to - from) / 2;
  };
  const Wide all = sum(first, held) + sum(held, first + count);
  return TimeFs(static_cast<std::int64_t>(std::min<Wide>(all, kTimeEnd.fs())));
}

// The oldest batch.
void Wire::show(const Batch& batch) const {
  merge(batch, 0, batch.flits, [&](std::uint32_t j, std::uint32_t i, const Passage& flit) {
    if (viewers_->waves != nullptr) viewers_->waves->add(streams_[j], i, flit.ready, flit.start, flit.end);
    if (viewers_->hops != nullptr) viewers_->hops->add(streams_[j], i, flit.ready, flit.start, flit.end);
  });
}

void Wire::Viewers::finish() const {
  if (waves != nullptr) waves->finish();
  if (hops != nullptr) hops->finish();
}

}  // namespace kb::modules
