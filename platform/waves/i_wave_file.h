// A format of waveform files.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/base/units.h"
#include "platform/contract/i_signal_observer.h"

namespace kb::waves {

// Gets the signals, then a value of each, then changes in ascending time, the end last. A signal with words is written
// as its number and, beside it, as a string.
class IWaveFile {
 public:
  virtual ~IWaveFile() = default;
  virtual void begin(const std::vector<contract::SignalInfo>& signals, TimeFs from) = 0;
  virtual void initial(std::uint32_t signal, std::uint64_t value) = 0;  // of every signal
  virtual void end_initial() = 0;
  // Times ascend.
  virtual void time(TimeFs at) = 0;
  virtual void change(std::uint32_t signal, std::uint64_t value) = 0;
  // Completes the file, and its owner commits it. Configuration Error when the disk is full.
  virtual void end(TimeFs at) = 0;
};

}  // namespace kb::waves
