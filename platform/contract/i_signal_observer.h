// Waveform probes: blocks report value changes with absolute times (also in the near future, for flits already
// planned); an observer attached from outside orders and writes them. Attaching one never changes a simulated time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/units.h"

namespace kb::contract {

using SignalId = std::uint32_t;
inline constexpr SignalId kNoSignal = 0xffffffffu;

// Detail of a wire in a waveform: busy state and number of waiting flits, or every flit.
enum class WaveDetail : std::uint8_t { wire, flit };

struct SignalInfo {
  std::string scope;  // the node id, or "parent.child" for a part of a node
  std::string group;  // an inner scope, in which dots do not separate scopes ("to_sip0.cube0.r0c0"); may be empty
  std::string name;
  int bits = 1;                    // 1..64
  std::vector<std::string> words;  // names of the values 0, 1, ... for a viewer; may be empty

  // The name that signal filters match.
  std::string full_name() const { return scope + "." + (group.empty() ? "" : group + ".") + name; }
};

// A block that reports changes late: once they can no longer be rolled back, or when the next change comes.
class IDeferredSignals {
 public:
  // Reports every final change before `now`. Returns the time from which later changes may come, at most `now`.
  virtual TimeFs report_until(TimeFs now) = 0;

 protected:
  ~IDeferredSignals() = default;
};

class ISignalObserver {
 public:
  virtual ~ISignalObserver() = default;
  // Returns kNoSignal when a filter excludes the signal. A signal has the value 0 until its first change, even when it
  // is declared during the simulation.
  virtual SignalId declare(const SignalInfo& info) = 0;
  virtual void change(SignalId signal, TimeFs at, std::uint64_t value) = 0;

  // Announces signals that may be declared during the simulation, by a pattern of full names.
  virtual void announce(const std::string& /*pattern*/) {}
  virtual WaveDetail detail() const { return WaveDetail::wire; }
  // Registers a block that reports changes of the past.
  virtual void add_late(IDeferredSignals& /*signals*/) {}

  SignalId declare(const std::string& scope, const std::string& name, int bits) {
    return declare({scope, "", name, bits, {}});
  }
};

}  // namespace kb::contract
