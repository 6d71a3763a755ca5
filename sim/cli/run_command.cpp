#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/contract/data_mode.h"
#include "platform/observe/output_set.h"
#include "platform/topology/ccl_config.h"
#include "platform/topology/topology.h"
#include "platform/views/view_files.h"
#include "sim/analysis/convert/perfetto.h"
#include "sim/cli/arguments.h"
#include "sim/cli/catalogs.h"
#include "sim/cli/dram_choice.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/help.h"
#include "sim/cli/hop_choice.h"
#include "sim/cli/log_choice.h"
#include "sim/cli/program.h"
#include "sim/cli/wave_choice.h"
#include "sim/cli/why_choice.h"
#include "sim/cli/workload_library.h"
#include "sim/cli/workload_text.h"
#include "sim/result/inputs.h"
#include "sim/result/write.h"
#include "sim/run/driver/host_time_limit.h"
#include "sim/run/driver/planning_machine.h"
#include "sim/run/driver/run_description.h"
#include "sim/run/driver/run_files.h"
#include "sim/run/driver/run_inputs.h"
#include "sim/run/driver/run_result.h"
#include "sim/run/driver/text_report.h"
#include "sim/run/driver/workload_run.h"
#include "sw/runtime/device.h"

namespace kb::cli {
namespace {

constexpr double kLeastLimitNs = 1e-6;  // a femtosecond
constexpr double kMaxLimitNs = 1e12;
const std::vector<std::string> kDataModes = {"off", "replay", "eager"};

class RunCommand final : public Command {
 public:
  RunCommand(CLI::App& app, const Program& program)
      : name_(program.fixed_topology ? program.name : program.name + " run") {
    choice_.program = &program;
    workload_ = program.default_workload;
    app.footer(program.fixed_topology ? kSimulationFooter : kRunFooter);
    choice_.add_file_option(app);
    workload_option_ = app.add_option("--bench", workload_, "Workload by name or by number of 'kernbench list'")
                           ->type_name("NAME")
                           ->capture_default_str();
    app.add_option("--device", device_, "SIPs that the workload may use: all or sip:N")
        ->type_name("DEVICE")
        ->capture_default_str();
    data_option_ = app.add_option("--data", data_, "Compute the data: off, replay or eager")
                       ->type_name("MODE")
                       ->capture_default_str();
    app.add_flag("--verify-data", verify_, "Compute the data (replay unless --data says eager) and check the result");
    app.add_option("--set", sets_,
                   "Parameter of the workload, or a topology key when the name has a dot; may be repeated")
        ->type_name("NAME=VALUE")
        ->expected(1)
        ->take_all();
    add_whole_option(app, "--seed", seed_, 0, std::numeric_limits<std::uint64_t>::max(),
                     "Seed of random tensor contents")
        ->default_str("1");
    app.add_option("--pins", pins_,
                   "Routes and choices of the run whose folder or inputs.json this is; times of this machine")
        ->type_name("RUN");
    add_plugin_option(app, plugins_);
    app.add_option("--out", out_, "Folder for result.json (default: results)")->type_name("DIR");
    app.add_option("--record", record_,
                   "Folder for a whole record: result.json, topology.json, ops.sqlite (operations, activity)")
        ->type_name("DIR");
    add_window_option(app, "--record-window", window_,
                      "With --record: the activity of this time (ns) in bins of its own, finer than a launch's");
    app.add_option("--perfetto", perfetto_, "With --record: also as a trace of Perfetto, packed if FILE ends in .gz")
        ->type_name("FILE");
    app.add_option("--oplog", oplog_file_,
                   "Write every operation to FILE: SQLite if it ends in .sqlite, .sqlite3 or .db, else text")
        ->type_name("FILE");
    waves_.add_options(app);
    hops_.add_options(app);
    dram_.add_options(app);
    log_.add_options(app);
    if (!program.fixed_topology) why_.add_options(app);
    add_real_option(app, "--time-limit-ns", time_limit_ns_, kLeastLimitNs, kMaxLimitNs,
                    "Stop at this simulated time (exit code 4 when work is outstanding)")
        ->type_name("NS");
    add_host_time_limit(app, host_time_limit_s_);
    app.add_flag("--strict", strict_,
                 "Exit with 1 on warnings of the run, and on reading memory that was never written");
    app.add_option("--check", check_,
                   "races: find bytes that two commands use at once, one of them writing (exit code 1)")
        ->type_name("WHAT");
    app.add_flag("--details", details_, "Also single launches, PEs and blocks: in ops.sqlite, or with --json");
    app.add_flag("--no-findings", no_findings_, "Don't observe how busy everything is: no findings, a faster run");
    app.add_option("--relief", reliefs_,
                   "Suppose other code: no-wait=FILE:LINE, copies=TENSOR, work=PE:SHARE, host-copies")
        ->type_name("WHAT")
        ->expected(1)
        ->take_all();
    app.add_flag("--no-source", no_source_, "Don't look for the source of kernels, to show the text of their lines");
    app.add_flag("--json", json_, "Print the result as JSON and nothing else on standard output");
    app.add_flag("--quiet", quiet_, "Print errors only");
    app.add_flag("--dump-config", dump_, "Print the effective configuration with the origin of each value and exit");
  }

  // The parameters of the workload that --bench names.
  std::string help() const override {
    if (workload_option_->count() == 0) return "";
    const WorkloadLibrary library(plugins_);
    const sw::Workload& workload = library.workloads().resolve(workload_);
    const std::string parameters = parameters_text(workload);
    return "\nParameters of " + workload.name + ":\n\n" + (parameters.empty() ? "  It has none.\n" : parameters);
  }

  int run() override {
    take_record();
    sim::HostTimeLimit host_limit(host_time_limit_s_);
    take_sets();
    sim::WorkloadRun run;
    const WorkloadLibrary library(plugins_);
    run.topology = choice_.load(library.blocks().implementations());
    run.kernels = &library.kernels();
    run.all_reduces = &library.all_reduces();
    run.workload = &library.workloads().resolve(workload_);
    run.params = sw::resolve_params(run.workload->name, run.workload->parameters, workload_sets_,
                                    sw::process_environment, run.workload->environment);
    if (!quiet_)
      print_warnings(sw::unknown_variables(run.workload->name, run.workload->parameters, sw::environment_variables(),
                                           run.workload->environment));
    if (!pins_.empty())
      run.plan =
          sim::planning_machine(result::read_inputs(pins_), pins_, run.topology, library.blocks().implementations());
    run.reference = reference_config();
    run.device = device_;
    contract::MachineInfo machine;
    machine.sips = run.topology.graph.spec.sip_count;
    run.sips = sw::parse_device(device_, machine);
    run.seed = seed_;
    run.strict = strict_;
    run.verify = verify_;
    run.check_races = check_ == "races";
    run.record = !no_findings_ || !record_.empty();
    run.record_window = window_;
    if (!no_source_) run.source_folders = sim::source_folders(plugins_);
    run.options = simulation_options();
    log_.check(run.topology.graph);
    run.options.blocks = &library.blocks();
    run.options.host_time_limit = &host_limit;
    if (dump_) return dump_config(run);
    why_.check(output_folder());
    return simulate_and_report(run, library);
  }

 private:
  // --record DIR stands for files of fixed names.
  void take_record() {
    if (record_.empty() && !perfetto_.empty()) throw usage_error("--perfetto is made of a record; add --record DIR");
    if (record_.empty() && window_) throw usage_error("--record-window is of a record; add --record DIR");
    if (record_.empty()) return;
    if (!out_.empty()) throw usage_error("--record writes result.json, too; leave --out out");
    if (!oplog_file_.empty()) throw usage_error("--record writes ops.sqlite, too; leave --oplog out");
    out_ = record_;
    oplog_file_ = sim::operations_file(record_);
  }

  void take_sets() {
    for (const std::string& text : sets_) {
      const auto assignment = split_assignment(text);
      // A parameter has no dot, and a key of the topology has one, but for this section.
      if (assignment.first.find('.') != std::string::npos || assignment.first == "replace") {
        choice_.sets.push_back(text);
      } else {
        workload_sets_.push_back(assignment);
      }
    }
  }

  sim::SimulationOptions simulation_options() const {
    sim::SimulationOptions options;
    const auto mode = std::find(kDataModes.begin(), kDataModes.end(), data_);
    if (mode == kDataModes.end()) throw usage_error("--data " + data_ + ": " + suggest(data_, kDataModes));
    options.data_mode = static_cast<contract::DataMode>(mode - kDataModes.begin());
    if (verify_ && options.data_mode == contract::DataMode::off) {
      if (data_option_->count() > 0) throw usage_error("--verify-data needs the data that --data off leaves out");
      options.data_mode = contract::DataMode::replay;
    }
    if (!check_.empty() && check_ != "races")
      throw usage_error("--check " + check_ + ": " + suggest(check_, {"races"}));
    waves_.check();
    if (time_limit_ns_ > 0.0) options.time_limit = ns_to_fs(time_limit_ns_);
    for (const std::string& relief : reliefs_) take_relief(relief, options);
    options.strict = strict_;
    options.progress = log_.progress(quiet_);
    return options;
  }

  void take_relief(const std::string& text, sim::SimulationOptions& options) const {
    sim::add_relief(text, options.reliefs);
    if (no_findings_ && options.reliefs.needs_lines())
      throw usage_error("--relief needs the account of lines, which --no-findings leaves out");
    if (options.data_mode != contract::DataMode::off) {
      throw usage_error(
          "--relief changes times and no data: what a kernel computes then means nothing; use --data off");
    }
  }

  int dump_config(const sim::WorkloadRun& run) const {
    const sim::RunRecord record = sim::describe(run);
    if (json_) {
      print(result::render(sim::setup_of(record)));
      return 0;
    }
    std::string text = "topology " + record.topology_file + "\n";
    for (const auto& [key, entry] : record.config) {
      text += key + " = " + entry.value + "  # " + entry.origin + (entry.text.empty() ? "" : ": " + entry.text) + "\n";
    }
    text += "workload " + record.workload + "\n";
    for (const auto& [key, entry] : record.params) text += key + " = " + entry.value + "  # " + entry.origin + "\n";
    print_text(text);
    return 0;
  }

  // Without --out, --json makes no folder.
  std::string output_folder() const { return out_.empty() && !json_ ? "results" : out_; }

  std::string result_file() const { return sim::result_file(output_folder()); }

  // The database that --details writes alone.
  std::optional<std::string> details_file() const {
    if (!details_ || !record_.empty() || output_folder().empty()) return std::nullopt;
    return sim::operations_file(output_folder());
  }

  void check_files(const sim::WorkloadRun& run) const {
    FileRoles roles;
    choice_.add_roles(run.topology, roles);
    for (const std::string& plugin : plugins_) roles.reads("--plugin", plugin);
    for (const sw::ParameterValue& value : run.params.values()) {
      if (value.declared.name == "ccl") roles.reads("--set ccl", value.value);
    }
    roles.reads("the file of collectives", topology::kCclFile);
    roles.writes("--oplog", oplog_file_);
    if (details_file()) roles.writes("--details", *details_file());
    roles.writes("--perfetto", perfetto_);
    waves_.add_roles(roles);
    hops_.add_roles(roles);
    dram_.add_roles(roles);
    log_.add_roles(roles);
    if (!output_folder().empty()) {
      roles.writes("--out", output_folder());
      roles.writes(out_.empty() ? "the result file" : "--out", result_file());
      roles.writes("--out", sim::inputs_file(output_folder()));
      for (const std::string& view : run.topology.graph.spec.emit_views) {
        roles.writes("visualization.emit_views", views::view_path(output_folder(), view));
      }
      if (!record_.empty()) roles.writes("--record", sim::machine_file(record_));
    }
    roles.prints(json_);
    roles.check();
  }

  int simulate_and_report(sim::WorkloadRun& run, const WorkloadLibrary& library) {
    check_files(run);
    const sweep::Catalogs catalogs = catalogs_of(library, *choice_.program);
    if (why_.wanted()) {
      why_.measure(sim::inputs_of(run, choice_.file, plugins_), output_folder(), catalogs, quiet_ || json_);
    }
    observe::OutputSet outputs;
    observe::OutputFile* result = nullptr;
    if (!output_folder().empty()) {
      observe::make_folder(output_folder());
      result = &sim::add_run_files(outputs, run.topology, output_folder(), !record_.empty());
      outputs.add(sim::inputs_file(output_folder()), "the inputs of the run")
          .write(result::render(sim::inputs_of(run, choice_.file, plugins_)));
    }
    if (!oplog_file_.empty()) run.options.oplog = &sim::add_operations(outputs, oplog_file_);
    observe::OutputFile* details = record_.empty() ? nullptr : run.options.oplog;
    if (details_file()) details = &sim::add_operations(outputs, *details_file());
    std::optional<observe::OutputFile> trace;  // generated from the other files, and therefore after them
    if (!perfetto_.empty()) trace.emplace(perfetto_, "the trace");
    run.options.waves = waves_.open(outputs);
    const std::unique_ptr<observe::EventLog> log = log_.open(outputs);
    run.options.log = log.get();
    hops_.open(run.topology.graph, outputs);
    run.options.hops = hops_.trace();
    dram_.open(run.topology.graph, outputs);
    run.options.dram = dram_.log();
    if (!quiet_) print_warnings(run.topology.warnings);
    sim::WorkloadOutcome outcome = sim::run_workload(run);
    hops_.write(outcome.record.warnings);
    dram_.finish();
    run.options.host_time_limit->disarm();
    if (result != nullptr) sim::write_result(outcome.record, *result);
    if (details != nullptr) sim::write_details(outcome.record, *details, !record_.empty());
    outputs.commit();
    if (why_.wanted()) why_.write(sim::result_of(outcome.record, sim::Detail::sums));
    if (json_) {
      result::render(sim::result_of(outcome.record, details_ ? sim::Detail::everything : sim::Detail::sums),
                     [](std::string_view text) { print(std::string(text)); });
    } else if (!quiet_) {
      print_text(sim::render_report(outcome.record, run.topology.graph.spec, files(run)));
      if (why_.wanted()) print_text("\n" + why_.text(quiet_));
    }
    if (!outcome.record.ok && (json_ || quiet_)) {
      print_note(name_ + ": error: " + outcome.record.error_code + ": " + outcome.record.error_message);
    }
    if (trace) convert::write_perfetto_file(analysis::RunFolder(record_), {}, *trace);
    return outcome.exit_code;
  }

  std::map<std::string, sim::ConfigEntry> reference_config() const {
    const BuiltinTopology& builtin = choice_.program->topology;
    return sim::config_of(topology::load_text(builtin.text, builtin.name));
  }

  std::vector<std::pair<std::string, std::string>> files(const sim::WorkloadRun& run) const {
    std::vector<std::pair<std::string, std::string>> list;
    if (!output_folder().empty()) {
      list.emplace_back("result", result_file());
      std::string drawings;
      for (const std::string& view : run.topology.graph.spec.emit_views) {
        drawings += (drawings.empty() ? "" : ", ") + views::view_path(output_folder(), view);
      }
      if (!drawings.empty()) list.emplace_back("drawings", drawings);
    }
    if (!record_.empty()) list.emplace_back("machine", sim::machine_file(record_));
    if (!oplog_file_.empty()) list.emplace_back("operations", oplog_file_);
    if (details_file()) list.emplace_back("details", *details_file());
    if (!perfetto_.empty()) list.emplace_back("trace", perfetto_);
    waves_.add_files(list);
    hops_.add_files(list);
    dram_.add_files(list);
    if (!log_.file().empty()) list.emplace_back("log", log_.file());
    return list;
  }

  std::string name_;
  TopologyChoice choice_;
  std::string workload_;
  CLI::Option* workload_option_ = nullptr;
  std::string device_ = "all";
  std::string data_ = "off";
  CLI::Option* data_option_ = nullptr;
  bool verify_ = false;
  std::string check_;
  std::vector<std::string> sets_, reliefs_;
  sw::Assignments workload_sets_;
  std::uint64_t seed_ = 1;
  std::vector<std::string> plugins_;
  std::string out_;
  std::string pins_;
  std::string record_;
  std::string oplog_file_, perfetto_;
  std::optional<std::pair<TimeFs, TimeFs>> window_;
  WaveChoice waves_;
  HopChoice hops_;
  DramChoice dram_;
  LogChoice log_;
  WhyChoice why_;
  double time_limit_ns_ = 0.0;      // 0: no limit
  double host_time_limit_s_ = 0.0;  // 0: no limit
  bool details_ = false;
  bool no_findings_ = false, no_source_ = false;
  bool strict_ = false;
  bool json_ = false;
  bool quiet_ = false;
  bool dump_ = false;
};

}  // namespace

std::unique_ptr<Command> make_run_command(CLI::App& app, const Program& program) {
  return std::make_unique<RunCommand>(app, program);
}

}  // namespace kb::cli
