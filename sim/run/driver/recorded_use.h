// Adds to the result of a run what resources did for each launch.
#pragma once

#include "platform/record/activity_recorder.h"
#include "platform/topology/graph.h"
#include "sim/run/driver/run_record.h"

namespace kb::sim {

// At most kMaxUses pairs of launch and resource are kept; for later launches, the run gets a note instead.
inline constexpr std::size_t kMaxUses = 100'000;
void add_recorded_use(const record::ActivityRecorder& recorder, const topology::Graph& graph, RunRecord& run,
                      std::size_t most = kMaxUses);

}  // namespace kb::sim
