// The parts of a launch from submission to completion, as the PE that ended last saw them; they add up to it exactly.
#pragma once

#include <array>
#include <cstddef>

#include "platform/base/word.h"
#include "platform/contract/time_shares.h"
#include "sim/result/launch_record.h"

namespace kb::sim {

// Delivery and barrier, then the shares of the kernel's time, then completion.
inline constexpr std::size_t kLaunchParts = contract::kTimeShares + 3;
const Word& launch_part(std::size_t part);

// Returns the times of all parts; all 0 when no PE ran or the launch is open.
std::array<TimeFs, kLaunchParts> launch_parts(const LaunchRecord& launch);

}  // namespace kb::sim
