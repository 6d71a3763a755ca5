#pragma once

#include <string>
#include <vector>

#include "platform/elab/block.h"

namespace kb::sim {

// Who waits for what, since when: one line per wait, oldest first. Long tables are cut, saying how many lines were left
// out.
std::string render_waits(std::vector<elab::WaitInfo> waits);

}  // namespace kb::sim
