#include "platform/model/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/size_text.h"
#include "platform/base/units.h"

namespace kb::model {

Dtype chosen_dtype(ModelSpec& spec, const std::optional<Dtype>& chosen) {
  if (chosen) {
    spec.scales.reset();  // everything is stored in the chosen one
    return *chosen;
  }
  if (spec.dtype) return *spec.dtype;
  throw Error({Diagnostic{spec.file, 0, 0, "torch_dtype", "is missing", "add it, or give --dtype bf16"}});
}

ModelReport make_report(ModelSpec spec, const ReportChoice& choice, const topology::MachineSpec& machine,
                        const std::string& machine_name) {
  ModelReport report;
  report.dtype = chosen_dtype(spec, choice.dtype);
  report.spec = std::move(spec);
  report.plan = choice.plan;
  report.batch = choice.batch;
  check_plan(report.spec, report.plan);
  report.machine = machine_name;
  report.machine_sips = machine.sip_count;
  report.roofs = sip_roofs(machine, report.dtype);
  report.parameters = parameters(report.spec);
  const ArenaGeometry geometry = arena_geometry(machine);
  for (std::int64_t stage = 0; stage < report.plan.pp; ++stage) {
    report.stages.push_back(build_graph(report.spec, report.plan, report.batch, report.dtype, stage));
    report.memory.push_back(plan_memory(report.stages.back(), geometry));
  }
  report.groups = op_groups(report.stages, report.roofs);
  for (const Graph& stage : report.stages) {
    report.stage_times.push_back(stage_time(stage, report.roofs));
    report.time += report.stage_times.back();
  }
  return report;
}

std::uint64_t ModelReport::weight_bytes() const {
  std::uint64_t sum = 0;
  for (const WeightTensor& weight : all_weights(spec, dtype)) sum += weight.local_bytes(spec, {});
  return sum;
}

double ModelReport::tokens_per_second() const {
  TimeFs slowest = 1_fs;
  for (const StageTime& stage : stage_times) slowest = std::max(slowest, stage.all);
  return static_cast<double>(plan.dp * batch.tokens()) / fs_to_ns(slowest) * 1e9;
}

std::optional<Error> fit_problem(const ModelReport& report) {
  std::vector<Diagnostic> problems;
  for (std::size_t stage = 0; stage < report.memory.size(); ++stage) {
    const MemoryPlan& memory = report.memory[stage];
    if (memory.fits()) continue;
    const std::string where = report.plan.pp > 1 ? fmt::format(" of stage {}", stage) : "";
    problems.push_back(
        {"", 0, 0, "",
         fmt::format("{} does not fit in a SIP{} of {}: {} of weights, {} of cache and {} of activations take {}, "
                     "which is {} more than the {} of its HBM",
                     report.spec.name(), where, report.machine, size_text(memory.weight_bytes),
                     size_text(memory.cache_bytes), size_text(memory.activation_bytes), size_text(memory.taken()),
                     size_text(memory.taken() - memory.there()), size_text(memory.there())),
         ""});
  }
  if (problems.empty()) return std::nullopt;
  const std::optional<std::int64_t> tp =
      smallest_tp(report.spec, report.plan, report.batch, report.dtype, report.memory.front().geometry);
  problems.back().remedy = tp ? fmt::format("the smallest that fits is --tp {}", *tp)
                              : fmt::format(
                                    "no --tp fits with --pp {} and --dp {}; use more stages, a smaller batch or "
                                    "context, or a machine with more HBM",
                                    report.plan.pp, report.plan.dp);
  return Error(std::move(problems));
}

std::vector<Diagnostic> report_notes(const ModelReport& report) {
  std::vector<Diagnostic> notes;
  const std::int64_t sips = report.plan.sips();
  if (sips > report.machine_sips) {
    notes.push_back({report.machine, 0, 0, "system.sips.count",
                     fmt::format("the plan needs {} SIPs and the machine has {}, so {} equal ones are assumed", sips,
                                 report.machine_sips, sips),
                     fmt::format("--set system.sips.count={}", sips)});
  }
  const std::int64_t context = report.batch.longest_context();
  if (report.spec.max_positions > 0 && context > report.spec.max_positions) {
    notes.push_back({report.spec.file, 0, 0, "max_position_embeddings",
                     fmt::format("a context of {} is longer than the {} that the model was made for", context,
                                 report.spec.max_positions),
                     report.batch.phase == Phase::decode
                         ? fmt::format("--context {} is the longest it was made for", report.spec.max_positions)
                         : ""});
  }
  return notes;
}

}  // namespace kb::model
