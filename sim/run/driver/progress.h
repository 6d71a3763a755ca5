// What a long run tells about itself while it lasts, on standard error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

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
  TimeFs now = 0_fs;
  std::uint64_t events = 0;
  std::size_t done = 0;  // of `total` so far: launches or transactions
  std::size_t total = 0;
  const char* what = "";
  std::optional<TimeFs> end{};  // a time limit
};

// One at a time in a process: SIGUSR1 asks this one for a line. While the simulation runs, its poll writes the lines,
// in other steps a timer does. No thread, which would slow down the simulation.
class ProgressLine {
 public:
  explicit ProgressLine(Progress wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // The step that begins, a string with static lifetime: "building the machine". Null for one that calls due().
  void stage(const char* text);
  // Whether it is time for the next line; cheap enough for every few thousand events.
  bool due();
  void update(const ProgressState& state);                                   // after due()
  void update_count(std::size_t done, std::size_t total, const char* what);  // "3 of 14 cases", when due
  void update_text(const std::string& text);                                 // after due()
  double seconds() const;                                                    // since the step began

 private:
  using Clock = std::chrono::steady_clock;

  const Progress wanted_;
  const bool terminal_;
  Clock::time_point start_;  // of the step
  Clock::time_point next_;
};

// "simulated 12.345 us, 3 of 8 launches, ..." after `seconds` of host time.
std::string progress_text(const ProgressState& state, double seconds);
// "120 of 1000 points, 3 failed, 24.0 per second; about 37 s more" after `seconds`.
std::string points_text(std::size_t done, std::size_t total, std::size_t failed, double seconds);

}  // namespace kb::sim
