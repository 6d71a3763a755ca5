#include "sim/run/driver/workload_run.h"

#include <algorithm>
#include <utility>

#include "platform/contract/i_host.h"
#include "sim/run/driver/host_usage.h"
#include "sim/run/driver/run_description.h"
#include "sim/run/driver/run_observers.h"
#include "sw/runtime/runtime.h"

namespace kb::sim {
namespace {

std::string tensors_that_are(data::RowStatus status, const std::vector<data::VerificationRow>& rows) {
  std::string names;
  for (const data::VerificationRow& row : rows) {
    if (row.status() == status) names += (names.empty() ? "" : ", ") + row.tensor;
  }
  return names;
}

void fail(WorkloadOutcome& outcome, ErrorFamily family, std::string code, std::string message) {
  outcome.record.ok = false;
  outcome.record.error_code = std::move(code);
  outcome.record.error_message = std::move(message);
  outcome.exit_code = exit_code(family);
}

// Called when at least one row is wrong or not verified.
void fail_verification(WorkloadOutcome& outcome) {
  const std::vector<data::VerificationRow>& rows = outcome.record.verification;
  const std::string wrong = tensors_that_are(data::RowStatus::wrong, rows);
  const std::string open = tensors_that_are(data::RowStatus::not_verified, rows);
  std::string message = wrong.empty() ? "" : "wrong contents in " + wrong;
  if (!open.empty()) message += (wrong.empty() ? "not verified: " : "; not verified: ") + open;
  fail(outcome, ErrorFamily::program, wrong.empty() ? "NOT_VERIFIED" : "VERIFICATION_FAILED",
       message + "; the verification table names the elements");
}

// True when --verify-data has no contents to compare.
bool nothing_to_verify(const WorkloadOutcome& outcome, const WorkloadRun& run) {
  return run.verify && outcome.record.verification.empty() && !outcome.has_contents;
}

void judge(WorkloadOutcome& outcome, const WorkloadRun& run, const std::optional<Error>& failure) {
  RunRecord& record = outcome.record;
  if (failure) {
    fail(outcome, failure->family(), failure->code(), failure->what());
  } else if (!data::all_ok(record.verification)) {
    fail_verification(outcome);
  } else if (record.races && !record.races->empty()) {
    const std::string more =
        record.races->size() == 1 ? "" : " (and " + std::to_string(record.races->size() - 1) + " more)";
    fail(outcome, ErrorFamily::program, "RACE", record.races->front().text + more);
  } else if (run.verify && record.verification.empty() && outcome.has_contents) {
    fail(outcome, ErrorFamily::program, "NOTHING_VERIFIED",
         "--verify-data was given, but workload '" + record.workload +
             "' compared none of its tensors; add verification rows to its result");
  } else if (run.strict && !record.warnings.empty()) {
    fail(outcome, ErrorFamily::program, "STRICT", "--strict does not accept warnings: " + record.warnings[0]);
  }
}

CollectiveRecord collective_record(const sw::CollectiveRecord& chosen) {
  CollectiveRecord record{chosen.call, chosen.algorithm, chosen.tile_bytes, chosen.ranks, {}};
  for (const sw::CollectiveEstimate& one : chosen.estimates) {
    record.estimates.push_back({one.algorithm, one.ns, one.chunk_elements, one.root});
  }
  return record;
}

}  // namespace

RunRecord describe(const WorkloadRun& run) {
  RunRecord record = describe_machine(run.topology, run.reference);
  record.workload = run.workload->name;
  for (const sw::ParameterValue& value : run.params.values()) {
    record.params.emplace_back(value.declared.name, ConfigEntry{value.value, value.origin});
  }
  record.seed = run.seed;
  record.device = run.device;
  record.data_mode = data_mode_name(run.options.data_mode);
  return record;
}

namespace {

// Runs the workload on the host side of the simulation. Warnings of the runtime are added to `warnings`.
void run_on(contract::IHost& host, const WorkloadRun& run, WorkloadOutcome& outcome,
            std::vector<std::string>& warnings) {
  sw::RuntimeOptions options;
  options.devices = run.sips;
  options.seed = run.seed;
  options.all_reduces = run.all_reduces;
  options.warn = [&warnings](const std::string& text) { warnings.push_back(text); };
  sw::Runtime runtime(host, run.kernels, std::move(options));
  sw::WorkloadResult workload = sw::run_workload(runtime, *run.workload, run.params);
  RunRecord& record = outcome.record;
  record.verification = std::move(workload.verification);
  record.figures.reserve(workload.figures.size());
  for (sw::Figure& figure : workload.figures) {
    record.figures.push_back({std::move(figure.name), figure.value, std::move(figure.unit), std::move(figure.meaning)});
  }
  record.notes = std::move(workload.notes);
  for (const sw::CollectiveRecord& one : runtime.collectives()) record.collectives.push_back(collective_record(one));
  outcome.has_contents = runtime.contents_made();
}

}  // namespace

WorkloadOutcome run_workload(const WorkloadRun& run) {
  const HostUsage usage;
  WorkloadOutcome outcome;
  RunRecord& record = outcome.record;
  record = describe(run);
  SimulationOptions options = run.options;
  options.kernels = run.kernels;
  if (run.plan != nullptr) options.plan = &run.plan->graph;
  options.oplog_facts = log_facts(record);
  RunObservers observers(run.topology.graph, {run.record, run.record_window, run.check_races});
  observers.observe(options);
  std::vector<std::string> warnings;
  SimulationResult result =
      simulate(run.topology, options, [&](contract::IHost& host) { run_on(host, run, outcome, warnings); });
  record.sim_time = result.sim_time;
  record.launches = std::move(result.launches);
  record.blocks = std::move(result.blocks);
  record.declared = std::move(result.resources);
  for (const std::string& impl : result.undeclared) {
    record.notes.push_back("blocks '" + impl + "': resources not declared, so that nothing shows what waits in them");
  }
  record.warnings = std::move(result.warnings);
  record.unknown_accesses = result.unknown_accesses.count;
  if (record.unknown_accesses > 0) record.warnings.push_back(unknown_accesses_text(result.unknown_accesses));
  observers.report(record);
  if (!run.source_folders.empty()) record.sources = read_sources(record.places, run.source_folders);
  for (const std::string& warning : data::non_finite_warnings(record.verification)) warnings.push_back(warning);
  record.warnings.insert(record.warnings.end(), warnings.begin(), warnings.end());
  if (options.reliefs.any()) {
    record.notes.push_back(
        "what if: kernels or the host are supposed to differ from what is written (--relief); the times are bounds of "
        "what "
        "the change can bring");
  }
  note_limits(record);
  judge(outcome, run, result.failure);
  if (record.ok && nothing_to_verify(outcome, run)) {
    record.notes.push_back("nothing was verified: the workload wrote no tensor and gave none to a kernel");
  }
  record.host = usage.figures(result.events);
  return outcome;
}

}  // namespace kb::sim
