// Finds the statistics of kinds of blocks that changed between two runs.
#pragma once

#include <vector>

#include "sim/analysis/compare/comparison.h"
#include "sim/result/result.h"

namespace kb::sim {

// Returns the times that changed, the largest change first.
std::vector<ChangeCause> causes_of(const result::Result& before, const result::Result& after);

}  // namespace kb::sim
