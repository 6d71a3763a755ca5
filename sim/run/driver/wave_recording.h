// Waveforms of one run.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "platform/waves/gtkw_file.h"
#include "platform/waves/wave_recorder.h"
#include "sim/run/driver/interrupt.h"
#include "sim/run/driver/wave_options.h"

namespace kb::sim {

// The file grows while the simulation runs: from its first half second on it is in its place and can be read, also when
// the process has been killed.
class WaveRecording final : public IKeeper {
 public:
  explicit WaveRecording(const WaveOptions& options);
  // Keeps what there is when a run ends by an exception.
  ~WaveRecording();

  waves::WaveRecorder& recorder() { return recorder_; }
  // When all blocks are built: configuration Error for a filter that no signal can match.
  void check_filters();
  // Runs after each kPolled events. True when the run was interrupted and has to end.
  static constexpr std::uint64_t kPolled = 256;
  bool poll(TimeFs now);
  // Makes the file one that can be read as it is.
  void save(TimeFs now);
  // The same for the last time, with what has happened until the latest poll. Returns what to say.
  const char* keep() noexcept override;
  const char* kept() const noexcept override { return kept_.c_str(); }
  void finish(TimeFs end, std::vector<std::string>& warnings);
  // After finish(): the save file of GTKWave, if one is wanted.
  void write_save_file(const std::vector<waves::Span>& spans, TimeFs end);

 private:
  const WaveOptions& options_;
  std::unique_ptr<waves::IWaveFile> file_;
  waves::WaveRecorder recorder_;
  std::chrono::steady_clock::time_point saved_;
  TimeFs now_ = 0_fs;  // of the latest poll
  bool is_running_ = false;
  std::string kept_;
};

}  // namespace kb::sim
