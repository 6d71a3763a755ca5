#include "sim/study/verify/device_model.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "platform/address/address_config.h"
#include "platform/base/error.h"
#include "platform/contract/data_mode.h"
#include "platform/model/graph.h"
#include "sim/run/driver/simulation.h"
#include "sim/study/verify/weight_parts.h"
#include "sw/distributed/process_group.h"
#include "sw/distributed/spawn.h"
#include "sw/model/lowering.h"
#include "sw/model/step_inputs.h"
#include "sw/model/step_run.h"
#include "sw/runtime/runtime.h"

namespace kb::verify {
namespace {

constexpr double kNoMeaning = 37.0;  // in caches that no token has been written to

// What one SIP gives back after a step.
struct RankOutcome {
  sw::HostArray logits, best, best_logits;
  std::vector<std::vector<LayerCache>> caches;  // by sequence and layer
};

class DeviceRun {
 public:
  DeviceRun(const DeviceModel& device, const VerifyPlan& plan, const std::vector<sw::Program>& programs)
      : device_(device), plan_(plan), programs_(programs), parts_(device.spec, device.weights, device.plan) {
    outcomes_.resize(programs.size(), std::vector<RankOutcome>(static_cast<std::size_t>(device.plan.tp)));
  }

  void run(sw::Runtime& runtime) {
    const model::ArenaGeometry geometry = model::arena_geometry(device_.machine.graph.spec);
    cubes_ = geometry.pes / geometry.pes_per_cube, pes_ = geometry.pes_per_cube;
    if (device_.plan.tp == 1) {
      run_rank(runtime, nullptr, 0);
      return;
    }
    sw::ProcessGroup group(runtime);
    sw::spawn(runtime, static_cast<int>(device_.plan.tp), [&](int rank) {
      runtime.set_device(rank);
      run_rank(runtime, &group, rank);
    });
  }

  const std::vector<std::vector<RankOutcome>>& outcomes() const { return outcomes_; }

 private:
  void run_rank(sw::Runtime& runtime, sw::ProcessGroup* group, std::int64_t rank) {
    std::uint64_t bytes = 0;
    for (const sw::Program& program : programs_) bytes = std::max(bytes, program.slice_bytes);
    const std::shared_ptr<const sw::Arena> arena = runtime.arena(bytes);
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      sw::StepTensors tensors(runtime, programs_[i], arena);
      if (i == 0) write_weights(tensors, programs_[i], rank);
      if (plan_.steps[i].begins) spoil_caches(tensors, programs_[i]);
      launch_all(runtime, group, tensors, programs_[i], rank);
      read(tensors, i, rank);
      tensors.clear();
    }
  }

  void write_weights(sw::StepTensors& tensors, const sw::Program& program, std::int64_t rank) const {
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      const sw::ProgramTensor& one = program.tensors[i];
      if (one.weights.empty()) continue;
      tensors.tensor(i).copy_(sw::HostArray::from_doubles(one.shape, one.dtype, parts_.values(one.weights, rank)));
    }
  }

  static void spoil_caches(sw::StepTensors& tensors, const sw::Program& program) {
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      if (program.tensors[i].cache) tensors.tensor(i).fill(kNoMeaning);
    }
  }

  static void launch_all(sw::Runtime& runtime, sw::ProcessGroup* group, sw::StepTensors& tensors,
                         const sw::Program& program, std::int64_t rank) {
    for (const sw::ProgramLaunch& launch : program.launches) {
      launch.is_sum() ? static_cast<void>(tensors.summed(launch)) : static_cast<void>(tensors.args(launch, rank));
    }
    runtime.wait_all();
    sw::LaunchOptions options = sw::everywhere(runtime.machine());
    options.queued = true;
    for (const sw::ProgramLaunch& launch : program.launches) {
      options.label = launch.name;
      if (launch.is_sum()) {
        group->start_all_reduce_ranks(tensors.summed(launch));
      } else {
        runtime.launch(launch.kernel, tensors.args(launch, rank), options);
      }
    }
    runtime.wait_all();
  }

  void read(sw::StepTensors& tensors, std::size_t step, std::int64_t rank) {
    const sw::Program& program = programs_[step];
    RankOutcome& outcome = outcomes_[step][static_cast<std::size_t>(rank)];
    outcome.logits = tensors.tensor(program.logits).to_host();
    outcome.best = tensors.tensor(program.best).to_host();
    outcome.best_logits = tensors.tensor(program.best_logit).to_host();
    if (!plan_.steps[step].reads_caches) return;
    std::vector<std::vector<double>> contents;  // keys and values of each layer in turn
    std::int64_t token_elements = 0;
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      if (!program.tensors[i].cache) continue;
      contents.push_back(tensors.tensor(i).to_host().to_doubles());
      token_elements = program.tensors[i].shape[2] * program.tensors[i].shape[3];
    }
    for (std::size_t sequence = 0; sequence < plan_.steps[step].tokens.size(); ++sequence) {
      std::vector<LayerCache> layers;
      for (std::size_t i = 0; i + 1 < contents.size(); i += 2) {
        layers.push_back({gathered(contents[i], step, sequence, token_elements),
                          gathered(contents[i + 1], step, sequence, token_elements)});
      }
      outcome.caches.push_back(std::move(layers));
    }
  }

  // All tokens of a sequence, in order, from the blocks of the cache.
  std::vector<double> gathered(const std::vector<double>& contents, std::size_t step, std::size_t sequence,
                               std::int64_t token_elements) const {
    model::Batch batch;  // as if all tokens up to here were new: their slots
    for (std::size_t i = 0; i <= sequence; ++i) {
      batch.sequences.push_back({1, 0, plan_.steps[step].batch.sequences[i].context()});
    }
    const std::vector<std::int64_t> slots = sw::step_inputs(batch, cubes_, pes_, plan_.room).slots().values;
    std::vector<double> out;
    for (auto slot = slots.end() - batch.sequences.back().tokens; slot != slots.end(); ++slot) {
      const auto begin = contents.begin() + *slot * token_elements;
      out.insert(out.end(), begin, begin + token_elements);
    }
    return out;
  }

  const DeviceModel& device_;
  const VerifyPlan& plan_;
  const std::vector<sw::Program>& programs_;
  WeightParts parts_;
  std::int64_t cubes_ = 1, pes_ = 1;
  std::vector<std::vector<RankOutcome>> outcomes_;  // by step and SIP
};

// Logits of all SIPs side by side; the choice is the best of their choices, the first of equal ones.
StepOutcome joined(const std::vector<RankOutcome>& ranks, std::int64_t vocabulary) {
  StepOutcome out;
  const std::int64_t sequences = ranks[0].logits.shape()[0], columns = ranks[0].logits.shape()[1];
  out.logits.resize(static_cast<std::size_t>(sequences));
  out.best.resize(out.logits.size());
  out.best_logits.resize(out.logits.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const std::vector<double> logits = ranks[rank].logits.to_doubles();
    const std::vector<double> best_logits = ranks[rank].best_logits.to_doubles();
    const std::vector<std::int64_t> best = ranks[rank].best.to_integers();
    const std::int64_t first = static_cast<std::int64_t>(rank) * columns;
    const std::int64_t count = std::max<std::int64_t>(0, std::min(columns, vocabulary - first));
    for (std::size_t i = 0; i < out.logits.size(); ++i) {
      const auto begin = logits.begin() + static_cast<std::int64_t>(i) * columns;
      out.logits[i].insert(out.logits[i].end(), begin, begin + count);
      if (rank > 0 && !(best_logits[i] > out.best_logits[i])) continue;
      out.best[i] = first + best[i];
      out.best_logits[i] = best_logits[i];
    }
    out.caches.push_back(ranks[rank].caches);
  }
  return out;
}

}  // namespace

HeadRange kv_heads_of(const model::ModelSpec& spec, std::int64_t tp, std::int64_t rank) {
  const std::int64_t count = model::local_kv_heads(spec, tp);
  return {rank * spec.kv_heads / tp, count};
}

std::vector<sw::Program> lower_steps(const DeviceModel& device, const VerifyPlan& plan) {
  const topology::MachineSpec& machine = device.machine.graph.spec;
  const model::ArenaGeometry geometry = model::arena_geometry(machine);
  const std::uint64_t tcm = address::AddressConfig::from_spec(machine).tcm_allocatable_bytes() / 8;
  std::vector<sw::Program> programs;
  programs.reserve(plan.steps.size());  // the first one is pointed to
  for (const VerifyStep& step : plan.steps) {
    const model::Graph graph = model::build_graph(device.spec, device.plan, step.batch, device.dtype, 0);
    programs.push_back(sw::lower({device.spec, graph, device.plan, step.batch, geometry, tcm, plan.room,
                                  programs.empty() ? nullptr : &programs.front()}));
    std::vector<double>& ids = programs.back().tensors[programs.back().ids].numbers;
    ids.clear();
    for (const Tokens& tokens : step.tokens) ids.insert(ids.end(), tokens.begin(), tokens.end());
    if (device.edit) device.edit(programs.size() - 1, programs.back());
  }
  return programs;
}

std::vector<StepOutcome> run_steps(const DeviceModel& device, const step::Catalogs& catalogs, const VerifyPlan& plan,
                                   const std::vector<sw::Program>& programs) {
  DeviceRun run(device, plan, programs);
  step::run_program(device.machine, catalogs, contract::DataMode::eager,
                    [&run](sw::Runtime& runtime) { run.run(runtime); });
  std::vector<StepOutcome> outcomes;
  for (const std::vector<RankOutcome>& ranks : run.outcomes()) {
    outcomes.push_back(joined(ranks, device.spec.vocabulary));
  }
  return outcomes;
}

}  // namespace kb::verify
