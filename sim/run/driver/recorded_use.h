// What the activity of a run adds to its result: how single resources were used, in the run and launch by launch.
#pragma once

#include "platform/record/activity_recorder.h"
#include "platform/topology/graph.h"
#include "sim/run/driver/run_record.h"

namespace kb::sim {

// Statistics `pc3.busy` and `pc3.wait` of HBM controllers, and the use of all resources in each launch. At most
// kMaxUses pairs of launch and resource are kept: later launches get none, and a note of the run says so.
inline constexpr std::size_t kMaxUses = 100'000;
void add_recorded_use(const record::ActivityRecorder& recorder, const topology::Graph& graph, RunRecord& run,
                      std::size_t most = kMaxUses);

}  // namespace kb::sim
