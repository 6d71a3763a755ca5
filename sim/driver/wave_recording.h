// Waveforms of one run.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "platform/waves/wave_recorder.h"
#include "sim/driver/run_record.h"
#include "sim/driver/wave_options.h"

namespace kb::sim {

class WaveRecording {
 public:
  explicit WaveRecording(const WaveOptions& options);

  waves::WaveRecorder& recorder() { return recorder_; }
  // When all blocks are built: configuration Error for a filter that no signal can match.
  void check_filters() const;
  void finish(TimeFs end, std::vector<std::string>& warnings);
  // After finish(): the save file of GTKWave, if one is wanted.
  void write_save_file(const std::deque<LaunchRecord>& launches, TimeFs end);

 private:
  const WaveOptions& options_;
  std::unique_ptr<waves::IWaveFile> file_;
  waves::WaveRecorder recorder_;
};

}  // namespace kb::sim
