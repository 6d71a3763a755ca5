#pragma once

#include <chrono>
#include <cstdint>

#include "platform/base/units.h"

namespace kb::sim {

// One line on the terminal that long runs keep up to date: simulated time and events per second. Silent during the
// first second and when standard error is no terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(TimeFs now, std::uint64_t events);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
};

}  // namespace kb::sim
