#include "sim/driver/workload_run.h"

#include <algorithm>
#include <utility>

#include "platform/address/address_config.h"
#include "platform/address/address_space.h"
#include "platform/address/phys_addr.h"
#include "platform/base/version.h"
#include "platform/observe/text_table.h"
#include "platform/params/pe_dma_params.h"
#include "platform/record/activity_recorder.h"
#include "sim/driver/host_usage.h"
#include "sim/driver/recorded_use.h"
#include "sim/findings/findings.h"
#include "sim/findings/limiter.h"
#include "sw/runtime/runtime.h"

namespace kb::sim {
namespace {

const char* data_mode_name(contract::DataMode mode) {
  switch (mode) {
    case contract::DataMode::off:
      return "off";
    case contract::DataMode::replay:
      return "replay";
    case contract::DataMode::eager:
      return "eager";
  }
  return "";
}

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

// At least one row is wrong or not verified.
void fail_verification(WorkloadOutcome& outcome) {
  const std::vector<data::VerificationRow>& rows = outcome.record.verification;
  const std::string wrong = tensors_that_are(data::RowStatus::wrong, rows);
  const std::string open = tensors_that_are(data::RowStatus::not_verified, rows);
  std::string message = wrong.empty() ? "" : "wrong contents in " + wrong;
  if (!open.empty()) message += (wrong.empty() ? "not verified: " : "; not verified: ") + open;
  fail(outcome, ErrorFamily::program, wrong.empty() ? "NOT_VERIFIED" : "VERIFICATION_FAILED",
       message + "; the verification table names the elements");
}

// What --verify-data found nothing to compare in.
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

// What a database of operations says about its run: everything that decides its contents.
std::vector<std::pair<std::string, std::string>> log_facts(const RunRecord& record) {
  std::vector<std::pair<std::string, std::string>> facts = {{"kernbench", kVersion},
                                                            {"topology_sha256", record.topology_sha256},
                                                            {"bench", record.workload},
                                                            {"device", record.device},
                                                            {"seed", std::to_string(record.seed)}};
  for (const auto& [name, entry] : record.params) facts.emplace_back("param." + name, entry.value);
  for (const auto& [key, entry] : record.config) facts.emplace_back("topology." + key, entry.value);
  return facts;
}

CollectiveRecord collective_record(const sw::CollectiveRecord& chosen) {
  CollectiveRecord record{chosen.call, chosen.algorithm, chosen.tile_bytes, chosen.ranks, {}};
  for (const sw::CollectiveEstimate& one : chosen.estimates) {
    record.estimates.push_back({one.algorithm, one.ns, one.chunk_elements, one.root});
  }
  return record;
}

// Whether an address is in the scratch of a kernel, or a received message.
std::function<bool(std::uint64_t)> kernel_scratch(const topology::MachineSpec& spec) {
  const address::TcmPartition tcm = address::AddressConfig::from_spec(spec).tcm_partition();
  return [tcm](std::uint64_t pa) {
    if (address::space_of(pa) == address::AddressSpace::message) return true;
    const address::PhysAddr at = address::PhysAddr::decode(pa);
    return at.is_tcm() && at.offset() - tcm.scratch_offset < tcm.scratch_bytes;
  };
}

// Stores of a PE end in the order of its calls when its PE_DMA has one write channel.
bool one_write_channel(const topology::MachineSpec& spec) {
  return spec.pe_components.at("pe_dma").impl == "builtin.pe_dma" &&
         spec.pe_params<params::PeDmaParams>("pe_dma").wr_engines == 1;
}

// About how many series of activity the blocks will have: wires, pseudo-channels, and what belongs to a PE.
std::size_t series_of(const topology::Graph& graph) {
  constexpr std::size_t kOfPe = 24;
  const topology::MachineSpec& spec = graph.spec;
  const auto decoders = std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const topology::Node& node) {
    return node.params.find("decode") == params::Value(std::string("serial"));
  });
  return graph.edges.size() + kOfPe * static_cast<std::size_t>(spec.pe_count()) + static_cast<std::size_t>(decoders);
}

}  // namespace

RunRecord describe(const WorkloadRun& run) {
  RunRecord record;
  record.topology_file = run.topology.file;
  record.topology_sha256 = run.topology.sha256;
  for (const auto& [key, value] : run.topology.config) record.config[key] = value;
  record.settings = differing_settings(record.config, run.reference);
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

std::string window_note(const record::ActivityRecorder::Window& window, TimeFs end) {
  const std::string ends = observe::fixed(fs_to_ns(end), 3);
  if (window.begin >= end) {
    return "the window of --record-window begins after the run, which ends at " + ends + " ns";
  }
  return "there are no findings, because --record-window divides launches; run without it for them";
}

// Who observes the simulation, as far as the run asks for it.
class Observers {
 public:
  explicit Observers(const WorkloadRun& run) : graph_(run.topology.graph) {
    if (run.record_window) window_ = {run.record_window->first, run.record_window->second};
    if (run.record) {
      recorder_.emplace(series_of(graph_), window_);
      costs_.emplace(graph_);
    }
    if (run.check_races) races_.emplace(kernel_scratch(graph_.spec), one_write_channel(graph_.spec));
  }

  void observe(SimulationOptions& options) {
    if (recorder_) options.recorder = &*recorder_;
    if (costs_) options.costs = &*costs_;
    if (races_) options.order = &*races_;
  }

  // What they saw; times and launches are in `record`.
  void report(RunRecord& record) const {
    if (races_) {
      record.races = races_->races();
      record.races_not_compared = races_->not_compared();
    }
    if (window_) record.notes.push_back(window_note(*window_, record.sim_time));
    if (recorder_) {
      const MessageWaits waits(costs_->receives(), graph_);
      name_awaited(record.launches, waits);
      add_recorded_use(*recorder_, graph_, record);
      if (!window_) record.findings = find_causes(record.launches, *recorder_, graph_, &*costs_, &waits);
      record.operations = costs_->most_expensive(kOperationsShown);
    }
  }

 private:
  const topology::Graph& graph_;
  std::optional<record::ActivityRecorder::Window> window_;
  std::optional<record::ActivityRecorder> recorder_;
  std::optional<OperationCosts> costs_;
  std::optional<check::RaceChecker> races_;
};

// Runs the workload on the host side of the simulation. Warnings of the runtime go to `warnings`.
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
  options.oplog_facts = log_facts(record);
  Observers observers(run);
  observers.observe(options);
  std::vector<std::string> warnings;
  SimulationResult result =
      simulate(run.topology, options, [&](contract::IHost& host) { run_on(host, run, outcome, warnings); });
  record.sim_time = result.sim_time;
  record.launches = std::move(result.launches);
  record.blocks = std::move(result.blocks);
  record.warnings = std::move(result.warnings);
  record.unknown_accesses = result.unknown_accesses.count;
  if (record.unknown_accesses > 0) record.warnings.push_back(unknown_accesses_text(result.unknown_accesses));
  observers.report(record);
  for (const std::string& warning : data::non_finite_warnings(record.verification)) warnings.push_back(warning);
  record.warnings.insert(record.warnings.end(), warnings.begin(), warnings.end());
  if (record.launches.size() > kLaunchesWithPes) {
    record.notes.push_back("results of single PEs (per_pe) are kept of the first " + std::to_string(kLaunchesWithPes) +
                           " launches only");
  }
  judge(outcome, run, result.failure);
  if (record.ok && nothing_to_verify(outcome, run)) {
    record.notes.push_back("nothing was verified: the workload wrote no tensor and gave none to a kernel");
  }
  record.host = usage.figures(result.events);
  return outcome;
}

}  // namespace kb::sim
