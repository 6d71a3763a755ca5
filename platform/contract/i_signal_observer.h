// Waveform probes: blocks report value changes with absolute times (also in the near future, for flits already
// planned); an observer attached from outside orders and writes them. Attaching one never changes a simulated time.
#pragma once

#include <cstdint>
#include <string>

#include "platform/base/units.h"

namespace kb::contract {

using SignalId = std::uint32_t;
inline constexpr SignalId kNoSignal = 0xffffffffu;

class ISignalObserver {
 public:
  virtual ~ISignalObserver() = default;
  // `scope` is the node id; `bits` 1..64. Returns kNoSignal when the signal is filtered out.
  virtual SignalId declare(const std::string& scope, const std::string& name, int bits) = 0;
  virtual void change(SignalId signal, TimeFs at, std::uint64_t value) = 0;
};

}  // namespace kb::contract
