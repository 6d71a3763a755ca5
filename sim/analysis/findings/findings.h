// Rules that explain the time of a run. docs/guides/slow-kernel.md shows an example of each.
#pragma once

#include <deque>
#include <vector>

#include "platform/record/activity_recorder.h"
#include "platform/resource/resource_table.h"
#include "platform/topology/graph.h"
#include "sim/analysis/findings/block_counts.h"
#include "sim/analysis/findings/finding.h"
#include "sim/analysis/findings/operation_costs.h"
#include "sim/result/launch_record.h"

namespace kb::sim {

// The longest launch; null when no launch has ended.
const LaunchRecord* longest_launch(const std::deque<LaunchRecord>& launches);

// The time window in which find_causes() needs single bins. `costs`: null when not recorded.
record::ActivityRecorder::Window time_of_causes(const std::deque<LaunchRecord>& launches, const OperationCosts* costs);

// What was recorded of a run.
struct RunObservations {
  const std::deque<LaunchRecord>& launches;
  const record::ActivityRecorder& recorder;
  const topology::Graph& graph;
  const OperationCosts* costs;  // null when not recorded; with `waits` it tells whose messages PEs waited for
  const MessageWaits* waits;    // null when not recorded
  const std::vector<resource::DeclaredUse>& declared;  // resources that blocks of plug-ins declare
  const BlockCounts& counts;
  const std::vector<ResourceName>& resources;  // that the uses of launches name
};

// Causes of the longest launch and of the gaps between launches, the worst first; then those of the launches that ran
// on its SIP at the same time, at most kLaunchesBeside, the longest first. Each gain is the most that fixing only this
// cause brings; findings below 3 % are omitted.
inline constexpr std::size_t kLaunchesBeside = 3;
std::vector<Finding> find_causes(const RunObservations& run);

}  // namespace kb::sim
