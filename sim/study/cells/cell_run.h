// The launches of one cell, simulated.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/base/units.h"
#include "platform/model/batch.h"
#include "platform/model/model_spec.h"
#include "platform/model/parallel_plan.h"
#include "sim/study/step/answer.h"
#include "sim/study/step/launch_key.h"
#include "sim/study/step/step_machine.h"
#include "sim/study/step/step_times.h"
#include "sim/study/step/step_units.h"
#include "sw/model/program.h"
#include "sw/profile/attention_work.h"
#include "sw/profile/context_pattern.h"
#include "sw/profile/launch_cell.h"

namespace kb::cells {

// A model on a machine. All of it outlives what uses it.
struct CellSetup {
  const model::ModelSpec& spec;
  model::ParallelPlan plan;  // tp SIPs, one copy
  Dtype dtype = Dtype::bf16;
  const step::StepMachines& machines;
  step::Catalogs catalogs;
  std::string identity;  // step::program_identity
  profile::ContextPattern pattern;
  std::int64_t blocks = 0;  // of the cache for which a SIP has room; 0: not known
};

// The second key of a cell as it is simulated: points of a grid may lie beyond what the cache has room for.
std::int64_t fitting_key(const CellSetup& setup, const profile::Cell& cell);

sw::Program program_of(const CellSetup& setup, const model::Batch& batch);

// Batches whose launches stand for the cell; their times are averaged.
std::vector<model::Batch> batches_of(const CellSetup& setup, const profile::Cell& cell);

// How many they are.
std::size_t batch_count(const profile::Cell& cell);

// Attention on a SIP of this setup.
profile::AttentionShape attention_shape(const CellSetup& setup);
// Work of a cell of chunks, 1 for others.
double work_of(const CellSetup& setup, const profile::Cell& cell);

struct CellAnswer {
  std::vector<TimeFs> times;                                         // by part
  std::vector<step::Events> events;                                  // by part, of all batches; empty: not counted
  std::vector<std::pair<std::string, step::StoredAnswer>> launches;  // that were simulated, by key
  std::set<std::string> used;                                        // keys that the memo knew
};

// Simulates what the memo does not know, in processes of its own. Each launch counts with the gap before it.
// `with_events`: the machine has coefficients of energy, and a launch is known when its events are, too.
CellAnswer run_cell(const CellSetup& setup, const step::Memo& memo, const profile::Cell& cell, TimeFs gap,
                    bool with_events);

}  // namespace kb::cells
