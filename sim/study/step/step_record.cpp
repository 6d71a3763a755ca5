#include "sim/study/step/step_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "platform/base/error.h"
#include "sim/run/driver/run_files.h"
#include "sim/run/driver/source_text.h"
#include "sim/run/driver/workload_run.h"
#include "sw/model/step_run.h"

namespace kb::step {
namespace {

constexpr const char* kDeliveryRule = "launch_overhead";

// Names of the sums over SIPs that the record leaves out, each once.
std::string left_out(const sw::Program& program, std::int64_t layer) {
  std::set<std::string> names;
  for (const sw::ProgramLaunch& launch : program.launches) {
    if (launch.layer == layer && launch.is_sum()) names.insert(launch.name);
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// All launches are delivered before the first begins, which is no part of a step.
void forget_delivery(std::vector<sim::Finding>& findings) {
  const auto is_delivery = [](const sim::Finding& finding) { return finding.rule == kDeliveryRule; };
  findings.erase(std::remove_if(findings.begin(), findings.end(), is_delivery), findings.end());
}

}  // namespace

sw::Program layer_program(const sw::Program& program, std::int64_t layer) {
  sw::Program part = program;
  part.ranks = 1;
  std::int64_t layers = 0;
  for (const sw::ProgramLaunch& launch : program.launches) layers = std::max(layers, launch.layer + 1);
  if (layer >= layers) {
    throw Error::configuration(fmt::format("--layer {}: the model has layers 0 to {}", layer, layers - 1));
  }
  part.launches.clear();
  for (const sw::ProgramLaunch& launch : program.launches) {
    if (launch.layer == layer && !launch.is_sum()) part.launches.push_back(launch);
  }
  return part;
}

LayerRecord::LayerRecord(const StepRun& run, RecordChoice choice)
    : run_(run), choice_(std::move(choice)), part_(layer_program(run.program, choice_.layer)) {
  observe::make_folder(choice_.folder, "--record");
  result_ = &sim::add_run_files(outputs_, run.machines.one, choice_.folder, true);
  operations_ = &sim::add_operations(outputs_, sim::operations_file(choice_.folder));
}

std::vector<std::string> LayerRecord::notes() const {
  const std::int64_t sips = run_.program.ranks;
  std::vector<std::string> notes = {fmt::format(
      "layer {} of {} on one{} SIP{}, its launches queued as in a step; the first launch, noop, lasts until "
      "all of them have been delivered",
      choice_.layer, choice_.model, sips > 1 ? fmt::format(" of {}", sips) : "", sips > 1 ? "s" : "")};
  const std::string sums = left_out(run_.program, choice_.layer);
  if (!sums.empty()) notes.push_back("sums over SIPs are left out: " + sums);
  return notes;
}

void LayerRecord::write() {
  sw::Workload workload;
  workload.name = "model-step";
  workload.description = "launches of one layer of a step";
  workload.run = [this](sw::Runtime& runtime, const sw::Params&) {
    sw::run_step(runtime, nullptr, part_);
    return sw::WorkloadResult{{}, {}, notes()};
  };
  sim::WorkloadRun recorded;
  recorded.topology = run_.machines.one;
  recorded.kernels = run_.catalogs.kernels;
  recorded.all_reduces = run_.catalogs.all_reduces;
  recorded.workload = &workload;
  recorded.reference = choice_.reference;
  recorded.device = "all";
  recorded.sips = {0};
  recorded.source_folders = sim::source_folders(choice_.plugins);
  recorded.record = true;
  recorded.options.blocks = run_.catalogs.blocks;
  recorded.options.oplog = operations_;
  sim::WorkloadOutcome outcome = sim::run_workload(recorded);
  forget_delivery(outcome.record.findings);
  if (!outcome.record.ok) throw Error::program(outcome.record.error_code, outcome.record.error_message);
  sim::write_result(outcome.record, *result_);
  sim::write_details(outcome.record, *operations_, true);
  outputs_.commit();
}

}  // namespace kb::step
