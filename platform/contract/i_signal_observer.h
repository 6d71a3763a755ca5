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

// How much of a wire is shown: whether it is busy and how many flits wait, or every flit.
enum class WaveDetail : std::uint8_t { wire, flit };

struct SignalInfo {
  std::string scope;  // the node id, or "parent.child" below one
  std::string group;  // a scope of its own inside, whose dots do not count ("to_sip0.cube0.r0c0"); empty = none
  std::string name;
  int bits = 1;                    // 1..64
  std::vector<std::string> words;  // names of the values 0, 1, ... for a viewer; empty: none

  // What filters are held against.
  std::string full_name() const { return scope + "." + (group.empty() ? "" : group + ".") + name; }
};

// A block that reports changes late: when they can no longer be taken back, or when the next one comes.
class ILateSignals {
 public:
  // Reports every change before `now` that is final. Returns the time from which on more may come, at most `now`.
  virtual TimeFs report_until(TimeFs now) = 0;

 protected:
  ~ILateSignals() = default;
};

class ISignalObserver {
 public:
  virtual ~ISignalObserver() = default;
  // Returns kNoSignal when the signal is filtered out. A signal is 0 until its first change, also when it is declared
  // while the simulation runs.
  virtual SignalId declare(const SignalInfo& info) = 0;
  virtual void change(SignalId signal, TimeFs at, std::uint64_t value) = 0;

  // Announces signals that may be declared while the simulation runs: a pattern of full names.
  virtual void announce(const std::string& /*pattern*/) {}
  virtual WaveDetail detail() const { return WaveDetail::wire; }
  // A block that reports changes of the past registers here.
  virtual void add_late(ILateSignals& /*signals*/) {}

  SignalId declare(const std::string& scope, const std::string& name, int bits) {
    return declare({scope, "", name, bits, {}});
  }
};

}  // namespace kb::contract
