// Waveforms of one wire.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "modules/fabric/flit_stream.h"
#include "modules/fabric/sliding_deque.h"
#include "platform/contract/i_signal_observer.h"

namespace kb::modules {

// Whether a flit is on the wire and how many are ready but not yet on it; with WaveDetail::flit also which flit it is.
// Takes flits when they can no longer change, in their order on the wire, so all edges are exact.
class WireWaves {
 public:
  // `wire` is the name of the signals' group, "to_<neighbour>".
  WireWaves(contract::ISignalObserver& observer, const std::string& node, const std::string& wire);

  bool wanted() const { return wanted_; }
  bool shows_flits() const { return flits_; }

  // The flit with index `i` of the stream; `shown` of the stream is set if flits are shown.
  void add(const FlitStream& stream, std::uint32_t i, TimeFs ready, TimeFs start, TimeFs end);
  // Shows what has ended before `until`, when no later flit becomes ready before it.
  void show_until(TimeFs until);
  // Called after the last flit.
  void finish();

 private:
  static constexpr int kQueueBits = 16;
  static constexpr int kTransactionBits = 32, kFlitBits = 24;  // larger numbers are truncated to these bits
  static constexpr std::size_t kMaxShown = (std::size_t{1} << kQueueBits) - 1;

  // A signal and its latest value, which is reported when another time comes: a thousand flits may be ready at once.
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
  void show_flit(const FlitStream& stream, std::uint32_t i, TimeFs start);
  void show_starts(TimeFs until);

  contract::ISignalObserver& observer_;
  bool flits_, wanted_ = false;
  Line busy_, queue_;
  Line first_, last_, transaction_, flit_, op_, leg_;
  TimeFs busy_until_ = -1_fs;    // busy still shows the flit that ends then
  SlidingDeque<TimeFs> starts_;  // start times of flits that the queue signal still counts as waiting
};

}  // namespace kb::modules
