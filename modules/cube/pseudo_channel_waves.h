// Waveforms of the pseudo-channels of one HBM controller.
#pragma once

#include <cstdint>
#include <vector>

#include "modules/fabric/sliding_deque.h"
#include "platform/elab/block.h"

namespace kb::modules {

// Signals per pseudo-channel n: `pc<n>.busy` is 1 while a burst occupies it (during a preceding change of direction it
// is 0), and `pc<n>.queue` is the number of bursts that have entered and not started. It takes final bursts only, so
// that every edge is reported once; without an observer it costs one comparison.
class PseudoChannelWaves {
 public:
  PseudoChannelWaves(const elab::Block& block, contract::ISignalObserver* observer, std::uint32_t channels);

  bool wanted() const { return !channels_.empty(); }
  // Bursts of one channel must come in the order of entry.
  void add(std::size_t pc, TimeFs entry, TimeFs start, TimeFs finish);
  // Reports edges before `until`; no later burst may enter before it.
  void show_until(TimeFs until);
  // Called after the last burst: reports the starts of waiting bursts.
  void finish();

 private:
  struct PseudoChannel {
    contract::SignalId busy = contract::kNoSignal;
    contract::SignalId queue = contract::kNoSignal;
    TimeFs busy_until = -1_fs;    // end of the burst that busy shows
    SlidingDeque<TimeFs> starts;  // start times of bursts that still count in the queue signal
  };

  void show_idle(PseudoChannel& channel);
  void show_starts(PseudoChannel& channel, TimeFs until);

  contract::ISignalObserver* observer_;
  std::vector<PseudoChannel> channels_;  // empty without waveforms
};

}  // namespace kb::modules
