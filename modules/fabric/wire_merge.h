// Iterates over the flits of a batch in wire order. Included only by the sources of Wire.
#pragma once

#include "modules/fabric/wire.h"

namespace kb::modules {

template <typename F>
void Wire::merge(const Batch& batch, std::size_t base, std::uint32_t flits, F&& f) const {
  std::int64_t next[kMaxStreams];  // femtoseconds as plain integers, so that the compiler selects without a branch
  std::uint32_t taken[kMaxStreams];
  const FlitStream* members[kMaxStreams];
  const std::uint32_t streams = batch.streams;
  for (std::uint32_t j = 0; j < streams; ++j) {
    members[j] = &streams_[base + j];
    next[j] = members[j]->time_of(0).fs();
    taken[j] = 0;
  }
  TimeFs available = batch.available_before;
  for (; flits > 0; --flits) {
    std::uint32_t best = 0;
    std::int64_t first = next[0];
    bool tied = false;
    for (std::uint32_t j = 1; j < streams; ++j) {  // branchless, because the next stream is hard to predict
      const bool earlier = next[j] < first;
      tied = (tied & !earlier) | (next[j] == first);
      best = earlier ? j : best;
      first = earlier ? next[j] : first;
    }
    for (std::uint32_t j = tied ? best + 1 : streams; j < streams; ++j) {
      if (next[j] == first && members[j]->key(taken[j]) < members[best]->key(taken[best])) best = j;
    }
    const FlitStream& stream = *members[best];
    const TimeFs ready = std::max(TimeFs(first), batch.floor);
    const TimeFs start = std::max(available, ready);
    available = start + occupancy_of(stream);
    f(best, taken[best], Passage{ready, start, available});
    next[best] = (++taken[best] == stream.count ? kNever : stream.time_of(taken[best])).fs();
  }
}

}  // namespace kb::modules
