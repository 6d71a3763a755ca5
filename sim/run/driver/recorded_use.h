// Adds recorded activity to the result of a run: use of single resources in total and per launch.
#pragma once

#include "platform/record/activity_recorder.h"
#include "platform/topology/graph.h"
#include "sim/run/driver/run_record.h"

namespace kb::sim {

// Adds the statistics `pc3.busy` and `pc3.wait` of HBM controllers, and the use of all resources in each launch. At
// most kMaxUses pairs of launch and resource are kept; for later launches, the run gets a note instead.
inline constexpr std::size_t kMaxUses = 100'000;
void add_recorded_use(const record::ActivityRecorder& recorder, const topology::Graph& graph, RunRecord& run,
                      std::size_t most = kMaxUses);

}  // namespace kb::sim
