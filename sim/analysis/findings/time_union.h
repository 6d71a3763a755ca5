#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "platform/base/units.h"

namespace kb::sim {

// For how long at least one of several spans lasts. What a PE awaits at once it waits for once.
class TimeUnion {
 public:
  void add(TimeFs begin, TimeFs end) {
    if (begin < end) spans_.emplace_back(begin, end);
  }
  TimeFs time() {
    std::sort(spans_.begin(), spans_.end());
    TimeFs sum = 0_fs, reached = 0_fs;
    for (const auto& [begin, end] : spans_) {
      if (end <= reached) continue;
      sum += end - std::max(begin, reached);
      reached = end;
    }
    return sum;
  }

 private:
  std::vector<std::pair<TimeFs, TimeFs>> spans_;
};

}  // namespace kb::sim
