// The waveforms of one run.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "platform/topology/graph.h"
#include "platform/waves/gtkw_file.h"
#include "platform/waves/wave_recorder.h"
#include "sim/run/driver/interrupt.h"
#include "sim/run/driver/wave_options.h"

namespace kb::sim {

// The file grows during the simulation: after the first half second it has its final name and is readable, even when
// the process is killed.
class WaveRecording final : public ICrashSaver {
 public:
  explicit WaveRecording(const WaveOptions& options);
  // Saves the recorded part when a run ends by an exception.
  ~WaveRecording();

  waves::WaveRecorder& recorder() { return recorder_; }
  // Must be called when all blocks are built: configuration Error for a filter that no signal can match.
  void check_filters();
  // Called every kPolled events. Returns true when the run was interrupted and must end.
  static constexpr std::uint64_t kPolled = 256;
  bool poll(TimeFs now);
  // Makes the file readable in its current state.
  void save(TimeFs now);
  // Saves for the last time, with all changes until the latest poll. Returns a message.
  const char* keep() noexcept override;
  const char* kept() const noexcept override { return kept_.c_str(); }
  void finish(TimeFs end, std::vector<std::string>& warnings);
  // Writes the GTKWave save file, if requested. Requires finish().
  void write_save_file(const std::vector<waves::Span>& spans, TimeFs end, const topology::Graph& machine);

 private:
  const WaveOptions& options_;
  std::unique_ptr<waves::IWaveFile> file_;
  waves::WaveRecorder recorder_;
  std::chrono::steady_clock::time_point saved_;
  TimeFs now_ = 0_fs;  // time of the latest poll
  bool is_running_ = false;
  std::string kept_;
};

}  // namespace kb::sim
