// Waveforms of one wire.
#pragma once

#include <algorithm>
#include <cstddef>

#include "modules/fabric/sliding_deque.h"
#include "platform/contract/i_signal_observer.h"

namespace kb::modules {

// Busy (0/1) and the number of flits that are ready but not yet on the wire. Takes flits when they can no longer
// change; the observer orders changes by time and drops repetitions.
class WireWaves {
 public:
  WireWaves(contract::ISignalObserver& observer, contract::SignalId busy, contract::SignalId queue)
      : observer_(observer), busy_(busy), queue_(queue) {}

  void add(TimeFs ready, TimeFs start, TimeFs end) {
    if (end == start) return;
    if (busy_ != contract::kNoSignal) {
      observer_.change(busy_, start, 1);
      observer_.change(busy_, end, 0);
    }
    if (queue_ == contract::kNoSignal) return;
    show_starts(ready);
    if (start == ready) return;
    starts_.push_back(start);
    observer_.change(queue_, ready, std::min(starts_.size(), kMostShown));
  }
  // No flit follows.
  void finish() { show_starts(kNever); }

 private:
  static constexpr std::size_t kMostShown = 0xffff;  // on the 16 bits of the queue signal

  // Flits that started up to then wait no longer.
  void show_starts(TimeFs until) {
    while (!starts_.empty() && starts_.front() <= until) {
      const TimeFs start = starts_.front();
      starts_.pop_front();
      observer_.change(queue_, start, std::min(starts_.size(), kMostShown));
    }
  }

  contract::ISignalObserver& observer_;
  contract::SignalId busy_, queue_;
  SlidingDeque<TimeFs> starts_;  // of flits that the queue signal still shows as waiting
};

}  // namespace kb::modules
