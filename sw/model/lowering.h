// From the graph of a step to launches of kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/model/arena.h"
#include "platform/model/batch.h"
#include "platform/model/graph.h"
#include "platform/model/model_spec.h"
#include "platform/model/parallel_plan.h"
#include "sw/model/program.h"

namespace kb::sw {

struct LoweringInput {
  const model::ModelSpec& spec;
  const model::Graph& graph;  // of the only stage
  const model::ParallelPlan& plan;
  const model::Batch& batch;
  const model::ArenaGeometry& geometry;
  std::uint64_t tcm_bytes = 0;  // of each PE, for partial sums; message rings need most of it
  // For steps that follow each other on the same weights and caches: `room` as in step_inputs(), and the program whose
  // weights and caches this one uses where they are. All other tensors lie beyond the bytes of that program.
  std::vector<std::int64_t> room = {};
  const Program* resident = nullptr;
};

// Operations that one kernel does together become one launch. Every tensor has its place in the slices of the SIP; the
// same input gives the same program. Configuration Errors of require_kernels.h, and for several stages.
Program lower(const LoweringInput& input);

}  // namespace kb::sw
