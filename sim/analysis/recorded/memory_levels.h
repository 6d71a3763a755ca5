// What each level of the memory moved in a window of time, and what it could have: the slopes of a roofline.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/analysis/recorded/activity.h"
#include "sim/analysis/recorded/machine.h"
#include "sim/analysis/recorded/nodes.h"

namespace kb::analysis {

// A byte counts once in its level: of two directions the fuller one counts, and where data pass several wires of a
// level on their way (UCIe, PCIe), the fullest wire stands for all of them.
struct MemoryLevel {
  std::string name;  // "HBM", "SRAM", "TCM", "link", "UCIe", "PCIe", in this order
  double bytes = 0;
  double gbs = 0;  // the roof
};

// Levels in `part` that moved something and whose rate is known. `uses` is Activity::uses(). What each of them
// counts: docs/guides/web.md, "Roofline".
std::vector<MemoryLevel> memory_levels(const Activity& activity, const std::vector<Use>& uses, const Machine& machine,
                                       const Scope& part);

// PEs in `part` that ran a kernel.
std::size_t active_pes(const Activity& activity, const std::vector<Use>& uses, const Scope& part);

}  // namespace kb::analysis
