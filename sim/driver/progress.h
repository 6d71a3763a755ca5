// What a long run tells about itself while it lasts, on standard error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "platform/base/units.h"

namespace kb::sim {

enum class Progress : std::uint8_t {
  off,
  on_request,  // a line for each SIGUSR1
  automatic,   // also a line on a terminal that is kept up to date; elsewhere a line every 30 s
  wanted,      // elsewhere a line every 5 s
};

// How far a simulation is.
struct ProgressState {
  TimeFs now = 0;
  std::uint64_t events = 0;
  std::size_t done = 0;  // of `total` so far: launches or transactions
  std::size_t total = 0;
  const char* what = "";
  std::optional<TimeFs> end{};  // a time limit
};

// Writes lines from a thread of its own, so that the run is not silent while a step takes long. One at a time in a
// process: SIGUSR1 asks this one for a line. Where no thread can be had, there are no lines.
class ProgressLine {
 public:
  explicit ProgressLine(Progress wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // What happens from now on: "building the machine".
  void stage(const std::string& text);
  // How far the simulation is; cheap enough for every few thousand events.
  void update(const ProgressState& state);

 private:
  using Clock = std::chrono::steady_clock;
  void run();
  void show();

  const Progress wanted_;
  const bool terminal_;
  const Clock::time_point start_;
  std::mutex mutex_;  // of the members below
  std::string stage_;
  Clock::time_point since_;             // of the stage
  std::optional<ProgressState> state_;  // of the simulation
  bool shown_ = false;                  // a line that the next one replaces
  bool ended_ = false;
  std::thread thread_;
};

// "simulated 12.345 us, 3 of 8 launches, ..." after `seconds` of host time.
std::string progress_text(const ProgressState& state, double seconds);

}  // namespace kb::sim
