// What result.json says about the launches of a run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace kb::evaluate {

// Over all launches of the run, each of which is on one SIP, and all PEs (E-11, E-13).
struct LaunchTimes {
  double longest_ns = 0;   // critical path: the largest pe_exec_ns
  double shortest_ns = 0;  // the smallest
  std::size_t pes = 0;
  std::size_t late_pes = 0;  // began after the common start (E-12)
};

LaunchTimes launch_times(const nlohmann::ordered_json& result);
// A headline figure of the workload; model Error when there is none of this name.
double figure_of(const nlohmann::ordered_json& result, const std::string& name);
// At least `tensors` of them were compared, and all are right.
bool verified_all(const nlohmann::ordered_json& result, std::size_t tensors);

}  // namespace kb::evaluate
