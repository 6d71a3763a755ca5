#pragma once

#include <chrono>
#include <cstdint>

#include "sim/run/driver/run_record.h"

namespace kb::sim {

// Measures the wall-clock and CPU time of a run.
class HostUsage {
 public:
  HostUsage();
  double wall_s() const;  // since construction
  double cpu_s() const;   // of the process since construction
  HostFigures figures(std::uint64_t events) const;

 private:
  std::chrono::steady_clock::time_point start_;
  double cpu_start_;
};

}  // namespace kb::sim
