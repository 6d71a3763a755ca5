// Waveforms of one run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/waves/wave_recorder.h"
#include "sim/driver/wave_options.h"

namespace kb::sim {

class WaveRecording {
 public:
  explicit WaveRecording(const WaveOptions& options);

  waves::WaveRecorder& recorder() { return recorder_; }
  // When all blocks are built: configuration Error for a filter that no signal can match.
  void check_filters() const;
  void finish(TimeFs end, std::vector<std::string>& warnings);

 private:
  const WaveOptions& options_;
  std::unique_ptr<waves::IWaveFile> file_;
  waves::WaveRecorder recorder_;
};

}  // namespace kb::sim
