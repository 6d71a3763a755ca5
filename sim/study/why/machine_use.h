// What the wires and blocks of a machine did in a run, by kind.
#pragma once

#include <vector>

#include "platform/topology/graph.h"
#include "sim/run/driver/run_record.h"
#include "sim/study/why/measure.h"

namespace kb::why {

// Sums over all launches; in the order of kinds in the machine, wires first.
std::vector<ClassUse> machine_use(const topology::Graph& graph, const sim::RunRecord& record);

// The measure of a run; `account`: with everything.
Measure measure_of(const sim::RunRecord& record, const topology::Graph& graph, bool account);

}  // namespace kb::why
