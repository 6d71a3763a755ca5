// Waveforms of the pseudo-channels of one HBM controller.
#pragma once

#include <cstdint>
#include <vector>

#include "modules/fabric/sliding_deque.h"
#include "platform/elab/block.h"

namespace kb::modules {

// Per pseudo-channel n: `pc<n>.busy`, 1 while a burst occupies it (a change of direction comes before, with busy 0),
// and `pc<n>.queue`, the bursts that have entered and not started. Takes bursts when they can no longer change, so that
// an edge is reported once; attached to nothing it costs a comparison.
class PseudoChannelWaves {
 public:
  PseudoChannelWaves(const elab::Block& block, contract::ISignalObserver* observer, std::uint32_t channels);

  bool wanted() const { return !channels_.empty(); }
  // Bursts of one channel come in the order of their entry.
  void add(std::size_t pc, TimeFs entry, TimeFs start, TimeFs finish);
  // Shows what has ended before `until`, when no later burst enters before it.
  void show_until(TimeFs until);
  // Called after the last burst: draws the starts of those that still wait.
  void finish();

 private:
  struct PseudoChannel {
    contract::SignalId busy = contract::kNoSignal;
    contract::SignalId queue = contract::kNoSignal;
    TimeFs busy_until = -1_fs;    // busy still shows the burst that ends then
    SlidingDeque<TimeFs> starts;  // start times of bursts that the queue signal still counts as waiting
  };

  void show_idle(PseudoChannel& channel);
  void show_starts(PseudoChannel& channel, TimeFs until);

  contract::ISignalObserver* observer_;
  std::vector<PseudoChannel> channels_;  // empty: no waveforms
};

}  // namespace kb::modules
