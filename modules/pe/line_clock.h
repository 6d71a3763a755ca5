#pragma once

#include <vector>

#include "modules/pe/pe_activity.h"
#include "platform/record/line_times.h"

namespace kb::modules {

// Divides the time of a running kernel by the lines at which its thread stands. Code of the kernel takes no time: time
// passes only inside calls, and each call charges what has passed since the one before.
class LineClock {
 public:
  explicit LineClock(PeActivity& activity) : activity_(activity) {}

  void start(TimeFs now) {
    lines_.clear();
    latest_ = activity_.times(now);
  }
  // The time since the last charge belongs to `line`.
  void charge(account::PlaceId line, account::PlaceId held_by, TimeFs now);
  const std::vector<record::LineTime>& lines() const { return lines_; }

 private:
  record::LineTime& row(account::PlaceId line, account::PlaceId held_by);

  PeActivity& activity_;
  decltype(record::LineTime::time) latest_{};
  std::vector<record::LineTime> lines_;
  std::size_t next_ = 0;  // row after the latest one: loops repeat their lines in order
};

}  // namespace kb::modules
