// A model on the simulated machine: the launches of its steps, with data.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "platform/model/arena.h"
#include "platform/model/model_spec.h"
#include "platform/model/parallel_plan.h"
#include "sim/study/step/step_units.h"
#include "sim/study/verify/model_weights.h"
#include "sim/study/verify/reference_model.h"
#include "sim/study/verify/verify_plan.h"
#include "sw/model/program.h"

namespace kb::verify {

struct DeviceModel {
  const model::ModelSpec& spec;
  const ModelWeights& weights;
  model::ParallelPlan plan;
  Dtype dtype = Dtype::bf16;
  const topology::LoadedTopology& machine;  // with the SIPs of the plan
  // Changes the program of a step, with which a test plants a fault; null: nothing.
  std::function<void(std::size_t step, sw::Program& program)> edit = {};
};

struct StepOutcome {
  // Logits of each sequence of the step.
  std::vector<std::vector<double>> logits;
  std::vector<std::int64_t> best;   // as the kernels chose
  std::vector<double> best_logits;  // of the choice
  // Caches by SIP, sequence and layer, with the K/V heads of that SIP; empty unless the step reads them.
  std::vector<std::vector<std::vector<LayerCache>>> caches;
};

// Programs of all steps. Weights and caches have the same place in all of them. Errors of sw::lower().
std::vector<sw::Program> lower_steps(const DeviceModel& device, const VerifyPlan& plan);

// Runs the programs one after the other in one simulation, each launch behind the one before. Weights are written once;
// caches persist. To be called once per process. Outcomes by step.
std::vector<StepOutcome> run_steps(const DeviceModel& device, const step::Catalogs& catalogs, const VerifyPlan& plan,
                                   const std::vector<sw::Program>& programs);

// K/V heads [first, first + count) of SIP `rank`.
struct HeadRange {
  std::int64_t first = 0, count = 0;
};
HeadRange kv_heads_of(const model::ModelSpec& spec, std::int64_t tp, std::int64_t rank);

}  // namespace kb::verify
