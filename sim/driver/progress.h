#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "platform/base/units.h"

namespace kb::sim {

// One line on the terminal that long work keeps up to date. Silent during the
// first second and when standard error is not a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(TimeFs now, std::uint64_t events);
  // "3 of 14 cases"
  void update_count(std::size_t done, std::size_t total, const char* what);
  void clear();

 private:
  bool due();
  void show(const std::string& text);

  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
};

}  // namespace kb::sim
