#pragma once

#include <string>
#include <vector>

#include "platform/elab/block.h"

namespace kb::sim {

// Who waits for what, since when, oldest first. Waits that differ in numbers only (the same wait of many PEs) stand
// together; of many the oldest few are shown with the number of the others. Those that begin after `now` are counted.
std::string render_waits(std::vector<elab::WaitInfo> waits, TimeFs now);

}  // namespace kb::sim
