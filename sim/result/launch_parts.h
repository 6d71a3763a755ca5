// The parts of a launch from submission to completion, for the PE that ended last. Their sum is exactly the whole time.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "platform/base/display_text.h"
#include "platform/contract/time_shares.h"
#include "sim/result/launch_record.h"

namespace kb::sim {

// Delivery and barrier, followed by the shares of the kernel's time and completion.
inline constexpr std::size_t kLaunchParts = contract::kShares + 3;
// Indices of the parts that have a name, in order; those of engines that the process does not know have none.
std::vector<std::size_t> launch_part_indices();
const DisplayText& launch_part(std::size_t part);  // of a part in launch_part_indices()
// What can limit a launch: the resources of a PE, and the parts of the kernel's time.
std::vector<std::string> limiter_names();
// Delivery, barrier and completion lie outside of the kernel.
constexpr bool is_kernel_part(std::size_t part) {
  return part >= 2 && part + 1 < kLaunchParts;
}
constexpr bool is_engine_part(std::size_t part) {
  return part >= 2 && part < 2 + engine::kMaxEngines;
}
// True for the time of a plug-in's engine; machines without the engine do not have the part.
constexpr bool is_plugin_part(std::size_t part) {
  return is_engine_part(part) && part >= 2 + engine::kBuiltInEngines;
}

// Returns the times of all parts; all 0 when no PE ran or the launch is open.
std::array<TimeFs, kLaunchParts> launch_parts(const LaunchRecord& launch);

}  // namespace kb::sim
