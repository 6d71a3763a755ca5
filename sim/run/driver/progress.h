// Progress output of a long run on standard error.
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
  on_request,  // one line per SIGUSR1
  automatic,   // also a line that is updated on a terminal; otherwise a line every 30 s
  wanted,      // like automatic, but without a terminal a line every 5 s
};

// Progress of a simulation.
struct ProgressState {
  TimeFs now = 0_fs;
  std::uint64_t events = 0;
  std::size_t done = 0;  // finished launches or transactions
  std::size_t total = 0;
  const char* what = "";
  std::optional<TimeFs> end{};  // time limit
};

// A process has one at a time, which handles SIGUSR1. During the simulation its poll writes the lines, in other steps a
// timer does; there is no thread, because it would slow down the simulation.
class ProgressLine {
 public:
  explicit ProgressLine(Progress wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Begins a step, named by a string with static lifetime: "building the machine". Null for a step that calls due().
  void stage(const char* text);
  // Replaces the text of the step, which the timer shows with the seconds since the step began. Costs a copy.
  void news(const std::string& text);
  // Whether the next line is due; cheap enough to be called every few thousand events.
  bool due();
  void update(const ProgressState& state);                                   // call after due()
  void update_count(std::size_t done, std::size_t total, const char* what);  // writes "3 of 14 cases" when due
  void update_text(const std::string& text);                                 // call after due()
  double seconds() const;                                                    // since the step began

 private:
  using Clock = std::chrono::steady_clock;

  const Progress wanted_;
  const bool terminal_;
  Clock::time_point start_;  // begin of the step
  Clock::time_point next_;
};

// "simulated 12.345 us, 3 of 8 launches, ...", after `seconds` of wall-clock time.
std::string progress_text(const ProgressState& state, double seconds);
// "120 of 1000 points, 3 failed, 24.0 per second; about 37 s more", after `seconds`.
std::string points_text(std::size_t done, std::size_t total, std::size_t failed, double seconds);

}  // namespace kb::sim
