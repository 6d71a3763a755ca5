// Finds lines and ranges of kernels whose time or waits changed between two runs.
#pragma once

#include <vector>

#include "sim/analysis/compare/comparison.h"
#include "sim/result/result.h"

namespace kb::sim {

// Lines that changed, the largest change of time first, then of waits. A line of both runs has the same kernel, file,
// call, tensor and range; of several such lines, those with equal numbers belong together, then the others in order.
std::vector<LineChange> line_changes(const result::Result& before, const result::Result& after);

// Times of ranges, each with the ranges inside it, that changed; the largest change first.
std::vector<Change> range_changes(const result::Result& before, const result::Result& after);

}  // namespace kb::sim
