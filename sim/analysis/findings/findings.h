// Rules that explain the time of a run. docs/guides/slow-kernel.md shows each with a case.
#pragma once

#include <deque>
#include <vector>

#include "platform/record/activity_recorder.h"
#include "platform/topology/graph.h"
#include "sim/analysis/findings/finding.h"
#include "sim/analysis/findings/operation_costs.h"
#include "sim/result/launch_record.h"

namespace kb::sim {

// The launch that took longest; null when none has ended.
const LaunchRecord* longest_launch(const std::deque<LaunchRecord>& launches);

// The time of which find_causes() looks at single bins. `costs`: null when not recorded.
record::ActivityRecorder::Window time_of_causes(const std::deque<LaunchRecord>& launches, const OperationCosts* costs);

// Of the longest launch, and of the run between its launches; the largest gain first. `costs` and `waits` together tell
// whose messages were waited for. Each gain is estimated as if only this were fixed; findings below 3 % are left out.
std::vector<Finding> find_causes(const std::deque<LaunchRecord>& launches, const record::ActivityRecorder& recorder,
                                 const topology::Graph& graph, const OperationCosts* costs = nullptr,
                                 const MessageWaits* waits = nullptr);

}  // namespace kb::sim
