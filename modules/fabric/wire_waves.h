// Waveforms of one wire.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "modules/fabric/flit_stream.h"
#include "modules/fabric/sliding_deque.h"
#include "platform/contract/i_signal_observer.h"

namespace kb::modules {

// Signals: whether a flit is on the wire, and how many flits are ready but not yet on it; with WaveDetail::flit also
// the flit's identity. It takes final flits in wire order, so that all edges are exact.
class WireWaves {
 public:
  // `wire` is the name of the signals' group, "to_<neighbour>".
  WireWaves(contract::ISignalObserver& observer, const std::string& node, const std::string& wire);

  bool wanted() const { return wanted_; }
  bool shows_flits() const { return flits_; }

  // Adds a flit; its transaction is set if flits are shown.
  void add(const ShownFlit& flit);
  // Reports edges before `until`; no later flit may become ready before it.
  void show_until(TimeFs until);
  // Called after the last flit.
  void finish();

 private:
  static constexpr int kQueueBits = 16;
  static constexpr int kTransactionBits = 32, kFlitBits = 24;  // larger numbers are truncated
  static constexpr std::size_t kMaxShown = (std::size_t{1} << kQueueBits) - 1;

  // A signal and its latest value, which is reported when the time changes, because a thousand flits may become ready
  // at once.
  struct Line {
    contract::SignalId signal = contract::kNoSignal;
    TimeFs at = 0_fs;
    std::uint64_t value = 0;
    std::uint64_t reported = 0;
  };

  void set(Line& line, TimeFs at, std::uint64_t value) {
    if (line.at != at) report(line);
    line.at = at;
    line.value = value;
  }
  void report(Line& line) {
    if (line.value == line.reported) return;
    observer_.change(line.signal, line.at, line.value);
    line.reported = line.value;
  }
  void report_before(TimeFs until);
  void show_idle();
  void show_flit(const ShownFlit& flit);
  void show_starts(TimeFs until);

  contract::ISignalObserver& observer_;
  bool flits_, wanted_ = false;
  Line busy_, queue_;
  Line first_, last_, transaction_, flit_, op_, leg_;
  TimeFs busy_until_ = -1_fs;    // end of the flit that busy shows
  SlidingDeque<TimeFs> starts_;  // start times of flits that still count in the queue signal
};

}  // namespace kb::modules
