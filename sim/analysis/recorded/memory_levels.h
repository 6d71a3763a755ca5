// Bytes moved by each level of the memory in a window of time, and its bandwidth: the slopes of a roofline.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platform/base/display_text.h"
#include "sim/analysis/recorded/activity.h"
#include "sim/analysis/recorded/machine.h"
#include "sim/analysis/recorded/nodes.h"

namespace kb::analysis {

// Each byte is counted once per level: only the busier direction counts, and when data pass several wires of a level
// (UCIe, PCIe), only the busiest wire.
struct MemoryLevel {
  std::string name;  // "HBM"
  double bytes = 0;
  double gbs = 0;  // bandwidth
};

// Words of all levels, from HBM to PCIe: the order of memory_levels().
std::vector<DisplayText> memory_level_words();

// Levels in `part` that moved bytes and whose bandwidth is known. `uses` is Activity::uses(). docs/guides/web.md,
// "Roofline", defines the bytes of each level.
std::vector<MemoryLevel> memory_levels(const Activity& activity, const std::vector<Use>& uses, const Machine& machine,
                                       const Scope& part);

// Number of PEs in `part` that ran a kernel.
std::size_t active_pes(const Activity& activity, const std::vector<Use>& uses, const Scope& part);

}  // namespace kb::analysis
