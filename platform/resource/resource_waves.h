// Waveform signals of a declared resource.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "platform/base/units.h"
#include "platform/contract/i_signal_observer.h"
#include "platform/resource/declaration.h"

namespace kb::resource {

// Signals of each unit, "bank3": `bank3.busy` is 1 during a use, `bank3.queue` is the number of accesses that wait for
// it, and `bank3.cause`, for a resource with several causes, is why the one that is served next waits. Uses and waits
// are final when they are told; each edge is reported once.
class ResourceWaves {
 public:
  ResourceWaves(contract::ISignalObserver& observer, const std::string& node, const Declaration& declaration);

  // False when a filter excludes all signals.
  bool wanted() const { return !units_.empty(); }

  // Uses of a unit must come in the order of time.
  void add_use(std::uint32_t unit, TimeFs begin, TimeFs end);
  // An access waits within [begin, end) for `cause`; of those that wait at one time, the one with the lowest `turn` is
  // served next.
  void add_wait(std::uint32_t unit, TimeFs begin, TimeFs end, std::size_t cause, TimeFs turn);

  // Reports edges before `until`; no later use or wait may begin before it.
  void show_until(TimeFs until);
  // The same for the waits of one unit.
  void show_waits_until(std::uint32_t unit, TimeFs until) { show_waits(units_[unit], until); }
  // Reports the remaining edges.
  void finish() { show_until(kNever); }

 private:
  struct Edge {
    TimeFs at;
    std::uint64_t wait = 0;  // number of the wait that begins or ends
    std::uint32_t cause = 0;
    bool begins = false;
    TimeFs turn;

    friend bool operator>(const Edge& a, const Edge& b) { return std::tie(a.at, a.wait) > std::tie(b.at, b.wait); }
  };
  struct Unit {
    contract::SignalId busy = contract::kNoSignal, queue = contract::kNoSignal, cause = contract::kNoSignal;
    TimeFs busy_until = -1_fs;  // end of the use that `busy` shows
    std::uint64_t waiting = 0;
    std::priority_queue<Edge, std::vector<Edge>, std::greater<>> edges{};  // not reported
    std::map<std::pair<TimeFs, std::uint64_t>, std::uint32_t> causes{};    // of those that wait, by turn and wait
  };

  void show_idle(Unit& unit);
  void show_waits(Unit& unit, TimeFs until);
  void apply(Unit& unit, const Edge& edge);

  contract::ISignalObserver& observer_;
  std::vector<Unit> units_;  // empty when no signal is wanted
  std::uint64_t waits_ = 0;
};

}  // namespace kb::resource
