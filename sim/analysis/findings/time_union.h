#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "platform/base/units.h"

namespace kb::sim {

// Length of the union of several time spans: time in which at least one of them lasts.
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
