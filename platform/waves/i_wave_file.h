// A format of waveform files.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/base/units.h"
#include "platform/contract/i_signal_observer.h"
#include "platform/waves/section.h"

namespace kb::waves {

// Gets the signals with their first values, then sections in the order of their times. A signal with words is written
// as its number and, beside it, as a string.
class IWaveFile {
 public:
  virtual ~IWaveFile() = default;
  // Again when signals have been declared since: the list has become longer. `values` are those at `from`.
  virtual void begin(const std::vector<contract::SignalInfo>& signals, TimeFs from,
                     const std::vector<std::uint64_t>& values) = 0;
  virtual void add(const Section& section) = 0;
  // Makes the file one that can be read as it is, up to `at`, with this section at its end, which the next add() or
  // show() replaces.
  virtual void show(const Section& section, TimeFs at) = 0;
  // Completes the file, and its owner commits it. Configuration Error when the disk is full.
  virtual void end(TimeFs at) = 0;
};

}  // namespace kb::waves
