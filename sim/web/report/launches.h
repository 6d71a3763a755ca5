// Launches of a result with their windows of time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/result/result.h"

namespace kb::web {

struct Window {
  std::int64_t begin_fs = 0, end_fs = 0;
  std::int64_t span() const { return end_fs - begin_fs; }
  bool empty() const { return end_fs <= begin_fs; }
};

struct LaunchTimes {
  const result::Launch* launch = nullptr;
  std::string name;  // "gemm (first layer)"
  std::string sip;   // "sip0"
  Window whole;      // from submission to completion
  Window kernel;     // from its first start until its last end; empty when no PE ran it
  std::string pe;    // the PE that ended last
};

// Launches that have ended, in the order of the file; `result` must outlive them.
std::vector<LaunchTimes> launches_of(const result::Result& result);
// The launch with the longest time, the first of equal ones; null without launches.
const LaunchTimes* longest_of(const std::vector<LaunchTimes>& launches);

}  // namespace kb::web
