// Settings of the preloaded library of io_fault.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/robustness/output_job.h"

namespace kb::robustness {

struct FaultPlan {
  std::string call = "all";
  std::uint64_t at = 0;
  int error_number = 0;
  int signal = 0;
  bool sticky = false;
  std::vector<std::string> environment(const Setup& setup, const std::string& count_file = "") const;
};

using CallCounts = std::map<std::string, std::uint64_t>;  // number of calls of a good run by kind
// Returns zeros without the library.
std::vector<CallCounts> count_calls(const Setup& setup, const std::vector<OutputJob>& jobs);

}  // namespace kb::robustness
