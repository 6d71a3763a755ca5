#include "sim/study/sweep/point_runner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include "platform/base/error.h"
#include "platform/base/whole_number.h"
#include "platform/contract/data_mode.h"
#include "platform/elab/block_plugin.h"
#include "platform/observe/output_set.h"
#include "sim/ports/traffic/traffic.h"
#include "sim/result/write.h"
#include "sim/run/driver/run_files.h"
#include "sim/run/driver/run_result.h"
#include "sim/run/driver/systemc_setup.h"
#include "sw/runtime/device.h"

namespace kb::sweep {
namespace {

constexpr std::array<const char*, 3> kDataModes{"off", "replay", "eager"};

// Adds "NAME=VALUE NAME=VALUE".
void take_list(const Assignment& one, std::vector<std::pair<std::string, std::string>>& list) {
  std::istringstream words(one.value);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error::configuration("'" + word + "' is not NAME=VALUE");
    }
    list.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
}

// File in the folder for temporary files, one per process.
std::string temporary_database() {
  return (std::filesystem::temp_directory_path() / fmt::format("kernbench-point-{}.sqlite", ::getpid())).string();
}

Json selected(const Selector& selector, const Json& result, bool optional) {
  try {
    return selector.select(result);
  } catch (const Error& error) {
    if (error.code() != kNoSuchResult || !optional) throw;
    return nullptr;
  }
}

// Files of a point that are kept.
class KeptFiles {
 public:
  KeptFiles(Keep keep, const std::string& name, sim::WorkloadRun& run) {
    if (name.empty() || keep == Keep::columns) return;
    if (keep == Keep::results) {
      result_ = &outputs_.add(name, "the result of a point");
      return;
    }
    observe::make_folder(name);
    result_ = &sim::add_run_files(outputs_, run.topology, name, true);
    operations_ = &sim::add_operations(outputs_, sim::operations_file(name));
    run.options.oplog = operations_;
  }

  void write(const sim::RunRecord& record) {
    if (result_ != nullptr) sim::write_result(record, *result_);
    if (operations_ != nullptr) sim::write_details(record, *operations_, true);
  }
  void commit() { outputs_.commit(); }

 private:
  observe::OutputSet outputs_;
  observe::OutputFile* result_ = nullptr;
  observe::OutputFile* operations_ = nullptr;
};

std::optional<std::string> no_environment(const std::string& /*name*/) {
  return std::nullopt;
}

}  // namespace

struct PointRunner::Choices {
  std::string workload, topology, device;
  std::uint64_t seed = 1;
  std::vector<std::pair<std::string, std::string>> parameters, machine;
};

PointRunner::PointRunner(const SweepSpec& spec, const Catalogs& catalogs)
    : spec_(spec), catalogs_(catalogs), sql_(all_sql(spec)) {
  for (const Column& column : spec.columns) {
    selectors_.push_back(column.formula || column.sql ? std::nullopt : std::optional<Selector>(column.text));
  }
  if (!uses("settings")) return;
  for (const auto& [key, value] : topology::load_text(catalogs.machine_text, catalogs.machine_name).config) {
    reference_[key] = {value.value, value.origin};
  }
}

bool PointRunner::uses(const char* member) const {
  return spec_.keep != Keep::columns || uses_in_columns(member);
}

bool PointRunner::uses_in_columns(const char* member) const {
  return sql_.find(member) != std::string::npos ||
         std::any_of(selectors_.begin(), selectors_.end(),
                     [&](const auto& selector) { return selector && selector->mentions(member); });
}

// The use of resources by launches must be recorded; statistics of blocks over the whole run exist without that.
bool PointRunner::uses_recorded_blocks() const {
  const bool selected = std::any_of(selectors_.begin(), selectors_.end(),
                                    [](const auto& selector) { return selector && selector->mentions("blocks"); });
  const auto asked = [&](const char* word) { return sql_.find(word) != std::string::npos; };
  return selected || (asked("blocks") && asked("launches"));
}

// Energy by launch, line and time needs places; that by part and event does not.
bool PointRunner::uses_recorded_energy() const {
  if (spec_.keep != Keep::columns || sql_.find("energy") != std::string::npos) return true;
  return std::any_of(selectors_.begin(), selectors_.end(), [](const auto& selector) {
    if (!selector) return false;
    const bool of_run = selector->member() == "energy";
    return of_run ? selector->mentions("lines") || selector->mentions("nobodys") || selector->mentions("bins_fj") ||
                        selector->mentions("bin_ns")
                  : selector->mentions("energy");
  });
}

PointRunner::Choices PointRunner::choices(const std::vector<Assignment>& given) const {
  Choices chosen{spec_.workload, spec_.topology, spec_.device, spec_.seed, {}, {}};
  const auto take = [&](const Assignment& one) {
    if (one.name == kAnyName) {
      take_list(one, one.target == Target::machine ? chosen.machine : chosen.parameters);
    } else if (one.target == Target::parameter) {
      chosen.parameters.emplace_back(one.name, one.value);
    } else if (one.target == Target::machine) {
      chosen.machine.emplace_back(one.name, one.value);
    } else if (one.name == "workload") {
      chosen.workload = one.value;
    } else if (one.name == "topology") {
      chosen.topology = one.value;
    } else if (one.name == "device") {
      chosen.device = one.value;
    } else if (parse_whole(one.value, chosen.seed) != std::errc{}) {
      throw Error::configuration("a seed is a whole number, not '" + one.value + "'");
    }
  };
  for (const Assignment& one : spec_.fixed) take(one);
  for (const Assignment& one : given) take(one);
  return chosen;
}

topology::LoadedTopology PointRunner::load(const Choices& chosen) const {
  if (!chosen.topology.empty()) {
    return topology::load(machine_file(chosen.topology), chosen.machine, *catalogs_.implementations);
  }
  return topology::load_text(catalogs_.machine_text, catalogs_.machine_name, chosen.machine,
                             *catalogs_.implementations);
}

std::string PointRunner::machine_file(const std::string& name) const {
  if (!catalogs_.machine_file) return name;
  try {
    return catalogs_.machine_file(name);
  } catch (const Error& error) {
    std::vector<Diagnostic> problems = error.diagnostics();
    for (Diagnostic& problem : problems) problem.key = "topology";
    throw Error(std::move(problems));
  }
}

topology::LoadedTopology PointRunner::load_machine(const std::vector<Assignment>& given) const {
  return load(choices(given));
}

void PointRunner::check_parameters(const std::vector<Assignment>& given) const {
  const Choices chosen = choices(given);
  if (!spec_.traffic.empty()) return;
  const sw::Workload& workload = catalogs_.workloads->resolve(chosen.workload);
  sw::resolve_params(workload.name, workload.parameters, chosen.parameters, no_environment, workload.environment);
}

void PointRunner::check_workload(const std::string& name) const {
  catalogs_.workloads->resolve(name);
}

std::string PointRunner::configuration(const std::vector<Assignment>& given) const {
  const Choices chosen = choices(given);
  if (!spec_.traffic.empty()) {
    std::string text;
    for (const auto& [name, value] : chosen.parameters) text += name + "=" + value + "\n";
    for (const auto& [key, value] : load(chosen).config) text += key + "=" + value.value + "\n";
    return text;
  }
  const sim::WorkloadRun run = prepare(chosen, load(chosen));
  std::string text = run.workload->name + "\n" + run.device + "\n" + std::to_string(run.seed) + "\n";
  for (const sw::ParameterValue& value : run.params.values()) text += value.declared.name + "=" + value.value + "\n";
  for (const auto& [key, value] : run.topology.config) text += key + "=" + value.value + "\n";
  return text;
}

std::string PointRunner::machine_key(const std::vector<Assignment>& given) const {
  const Choices chosen = choices(given);
  std::string key = chosen.topology;
  for (const auto& [name, value] : chosen.machine) key += "\n" + name + "=" + value;
  return key;
}

void PointRunner::keep_machine(const std::vector<Assignment>& given) {
  std::string key = machine_key(given);
  if (kept_ && key == kept_key_) return;
  kept_.reset();
  try {
    kept_ = load_machine(given);
    kept_key_ = std::move(key);
  } catch (const Error&) {
    // The point reports the error.
  }
}

sim::WorkloadRun PointRunner::prepare(const Choices& chosen, topology::LoadedTopology machine) const {
  sim::WorkloadRun run;
  run.topology = std::move(machine);
  run.kernels = catalogs_.kernels;
  run.all_reduces = catalogs_.all_reduces;
  run.workload = &catalogs_.workloads->resolve(chosen.workload);
  run.params = sw::resolve_params(run.workload->name, run.workload->parameters, chosen.parameters, no_environment,
                                  run.workload->environment);
  run.reference = reference_;
  run.device = chosen.device;
  contract::MachineInfo info;
  info.sips = run.topology.graph.spec.sip_count;
  run.sips = sw::parse_device(chosen.device, info);
  run.seed = chosen.seed;
  run.strict = spec_.strict;
  run.verify = spec_.verify;
  run.record = uses("findings") || uses("operations") || uses_recorded_blocks() || uses_recorded_energy();
  const auto mode = std::find(kDataModes.begin(), kDataModes.end(), spec_.data);
  run.options.data_mode = static_cast<contract::DataMode>(mode - kDataModes.begin());
  run.options.strict = spec_.strict;
  if (spec_.time_limit_ns > 0.0) run.options.time_limit = ns_to_fs(spec_.time_limit_ns);
  run.options.blocks = catalogs_.blocks;
  return run;
}

Answer PointRunner::run(const std::vector<Assignment>& given, const std::string& kept) {
  const Choices chosen = choices(given);
  const bool same = kept_ && machine_key(given) == kept_key_;
  topology::LoadedTopology machine = same ? std::move(*kept_) : load(chosen);
  kept_.reset();
  if (!spec_.traffic.empty()) return run_traffic(given, machine);
  sim::WorkloadRun run = prepare(chosen, std::move(machine));
  KeptFiles files(spec_.keep, kept, run);
  std::optional<observe::OutputFile> operations;
  if (data::has_word(sql_, "op") && run.options.oplog == nullptr) {
    operations.emplace(temporary_database(), "the operation log of a point");
    run.options.oplog = &*operations;
  }
  const sim::WorkloadOutcome outcome = sim::run_workload(run);
  files.write(outcome.record);
  std::optional<PointSql> sql;
  if (!sql_.empty()) sql.emplace(spec_, run.topology, given);
  if (data::has_word(sql_, "op") && outcome.record.ok) sql->add_operations(run.options.oplog->working_path());
  Answer answer = answer_of(outcome, sql ? &*sql : nullptr);
  files.commit();
  return answer;
}

Answer PointRunner::run_traffic(const std::vector<Assignment>& given, const topology::LoadedTopology& machine) const {
  PointSql sql(spec_, machine, given);
  try {
    std::vector<sim::TraceRow> rows = sql.traffic_rows();
    sim::TrafficOptions options;
    options.blocks = catalogs_.blocks;
    sim::prepare_systemc();
    const std::vector<sim::TrafficResult> results = sim::run_traffic(machine, std::move(rows), options);
    for (const sim::TrafficResult& result : results) {
      if (result.status != "OK") return {false, result.status, "transfer " + result.row.id + " was refused", {}};
    }
    sql.add_transfers(results);
  } catch (const Error& error) {
    if (error.code() == kNoSuchResult) return {false, kNoSuchResult, "traffic: " + std::string(error.what()), {}};
    if (error.family() == ErrorFamily::configuration || error.family() == ErrorFamily::model) throw;
    return {false, error.code(), error.what(), {}};
  }
  return cells_of({}, &sql);
}

// The document for the selectors of columns. Parts that no column uses are not rendered.
std::string PointRunner::document_of(const sim::RunRecord& record) const {
  const bool details = uses_in_columns("blocks") || uses_in_columns("per_pe");
  result::Result document = sim::result_of(record, details ? sim::Detail::everything : sim::Detail::launches);
  if (!uses_in_columns("config")) document.setup.config.clear();
  if (!uses_in_columns("settings")) document.setup.settings.clear();
  std::string text;
  result::render(document, [&](std::string_view part) { text += part; });
  return text;
}

Answer PointRunner::answer_of(const sim::WorkloadOutcome& outcome, PointSql* sql) const {
  const std::string text = document_of(outcome.record);
  if (!outcome.record.ok) return {false, outcome.record.error_code, outcome.record.error_message, {}};
  if (sql != nullptr && data::has_word(sql_, "result")) sql->add_result(text);
  Answer answer = cells_of(Json::parse(text), sql);
  answer.unknown_accesses = outcome.record.unknown_accesses;
  return answer;
}

Answer PointRunner::cells_of(const Json& result, PointSql* sql) const {
  Answer answer;
  answer.ok = true;
  std::string asking = "sql";
  try {
    if (sql != nullptr) sql->run_script();
    for (std::size_t i = 0; i < selectors_.size(); ++i) {
      const Column& column = spec_.columns[i];
      asking = column.text;
      if (column.sql) answer.cells.push_back(sql->value(column.text));
      if (selectors_[i]) answer.cells.push_back(selected(*selectors_[i], result, column.optional));
    }
  } catch (const Error& error) {
    if (error.code() != kNoSuchResult) throw;
    return {false, kNoSuchResult, asking + ": " + error.what(), {}};
  }
  return answer;
}

}  // namespace kb::sweep
