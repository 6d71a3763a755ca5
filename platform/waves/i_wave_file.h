// Interface of the waveform file formats.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/base/units.h"
#include "platform/contract/i_signal_observer.h"
#include "platform/waves/section.h"

namespace kb::waves {

// Takes the signals with their first values, then sections in the order of time. A signal with words is written as a
// number and additionally as a string.
class IWaveFile {
 public:
  virtual ~IWaveFile() = default;
  // Called again when more signals have been declared. `values` are the values at `from`.
  virtual void begin(const std::vector<contract::SignalInfo>& signals, TimeFs from,
                     const std::vector<std::uint64_t>& values) = 0;
  virtual void add(const Section& section) = 0;
  // Makes the file readable up to `at`, with this section as its end, which the next add() or show() replaces.
  virtual void show(const Section& section, TimeFs at) = 0;
  // Completes the file; its owner commits it. Configuration Error when the disk is full.
  virtual void end(TimeFs at) = 0;
};

}  // namespace kb::waves
