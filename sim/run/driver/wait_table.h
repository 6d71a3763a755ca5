#pragma once

#include <string>
#include <vector>

#include "platform/elab/block.h"

namespace kb::sim {

// Formats the table of waits, oldest first. Waits that differ only in numbers (the same wait of many PEs) are combined;
// of many combined waits only the oldest few are shown, with a count of the others. Waits that begin after `now` are
// only counted.
std::string render_waits(std::vector<elab::WaitInfo> waits, TimeFs now);

}  // namespace kb::sim
