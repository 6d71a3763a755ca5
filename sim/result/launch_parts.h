// The parts of a launch from submission to completion, as the PE that ended last saw them; they add up to it exactly.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "platform/base/word.h"
#include "platform/contract/time_shares.h"
#include "sim/result/launch_record.h"

namespace kb::sim {

// Delivery and barrier, then the shares of the kernel's time, then completion.
inline constexpr std::size_t kLaunchParts = contract::kShares + 3;
// Those that have a name, in order; there is room for more engines than the process knows.
std::vector<std::size_t> launch_part_indices();
const Word& launch_part(std::size_t part);
// Time of an engine that a plug-in brings; machines without the engine have no such part.
constexpr bool is_plugin_part(std::size_t part) {
  return part >= 2 + engine::kBuiltInEngines && part < 2 + engine::kMaxEngines;
}

// Returns the times of all parts; all 0 when no PE ran or the launch is open.
std::array<TimeFs, kLaunchParts> launch_parts(const LaunchRecord& launch);

}  // namespace kb::sim
