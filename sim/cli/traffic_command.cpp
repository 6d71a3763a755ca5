#include <CLI/CLI.hpp>
#include <cstdint>
#include <utility>

#include "platform/observe/output_set.h"
#include "sim/cli/arguments.h"
#include "sim/cli/dram_choice.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/help.h"
#include "sim/cli/hop_choice.h"
#include "sim/cli/log_choice.h"
#include "sim/cli/program.h"
#include "sim/cli/wave_choice.h"
#include "sim/cli/workload_library.h"
#include "sim/ports/traffic/trace_reader.h"
#include "sim/ports/traffic/traffic_writer.h"
#include "sim/run/driver/host_time_limit.h"
#include "sim/run/driver/progress.h"
#include "sim/run/driver/systemc_setup.h"

namespace kb::cli {
namespace {

class TrafficCommand final : public Command {
 public:
  TrafficCommand(CLI::App& app, const Program& program) {
    choice_.program = &program;
    app.footer(kTrafficFooter);
    choice_.add_file_option(app);
    choice_.add_set_option(app);
    add_plugin_option(app, plugins_);
    app.add_option("--trace", trace_, "Transactions, in a file packed by gzip or not")->type_name("FILE")->required();
    add_format_options(app);
    app.add_option("--out", out_, "Write to FILE instead of standard output")->type_name("FILE");
    hops_.add_options(app);
    dram_.add_options(app);
    waves_.add_options(app);
    add_host_time_limit(app, host_time_limit_s_);
    log_.add_options(app);
    app.add_flag("--json", json_, "JSON instead of tab-separated values");
  }

  int run() override {
    sim::HostTimeLimit host_limit(host_time_limit_s_);
    const sim::TraceFormat& format = sim::trace_format(format_, trace_);
    check_format(format);
    const WorkloadLibrary library(plugins_);
    const topology::LoadedTopology machine = choice_.load(library.blocks().implementations());
    sim::Trace trace = within_memory("reading the traffic file",
                                     [&] { return sim::read_trace(trace_, machine.graph, format, accesses_); });
    check_files(machine);
    log_.check(machine.graph);
    waves_.check();
    print_warnings(machine.warnings);
    print_warnings(trace.warnings);
    observe::OutputSet outputs;
    observe::OutputFile* const file = out_.empty() ? nullptr : &outputs.add(out_, "the output file");
    const std::unique_ptr<observe::EventLog> log = log_.open(outputs);
    hops_.open(machine.graph, outputs);
    const sim::WaveOptions waves = waves_.open(outputs);
    std::vector<std::string> warnings;
    sim::TrafficOptions options;
    options.waves = waves.file != nullptr ? &waves : nullptr;
    options.warnings = &warnings;
    options.log = log.get();
    options.hops = hops_.trace();
    dram_.open(machine.graph, outputs);
    options.dram = dram_.log();
    options.host_limit = &host_limit;
    options.progress = log_.progress(false);
    options.blocks = &library.blocks();
    sim::prepare_systemc();
    const std::vector<sim::TrafficResult> results = sim::run_traffic(machine, std::move(trace.rows), options);
    host_limit.disarm();
    if (file != nullptr) write(machine.graph, results, [&](std::string_view text) { file->write(text); });
    hops_.write(warnings);
    dram_.finish();
    outputs.commit();
    for (const std::string& warning : warnings) print_note("kernbench traffic: warning: " + warning);
    if (file == nullptr) write(machine.graph, results, [](std::string_view text) { print(std::string(text)); });
    return 0;
  }

 private:
  void add_format_options(CLI::App& app) {
    constexpr double kMostMhz = 1e6, kLeastMhz = 1e-3;
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20;
    app.add_option("--format", format_, "csv, dramsys or ramulator (default: by the ending .csv, .stl or .rstl)")
        ->type_name("FORMAT");
    own_ = {
        add_real_option(app, "--clock-mhz", accesses_.clock_mhz, kLeastMhz, kMostMhz,
                        "dramsys: clock of the cycles in the file; ramulator: one access per cycle")
            ->type_name("MHZ"),
        app.add_option("--src", accesses_.source, "dramsys, ramulator: the PE that asks (default: sip0.cube0.pe0)")
            ->type_name("PE"),
        app.add_option("--base", accesses_.base,
                       "dramsys, ramulator: what is added to each address (default: the HBM slice of --src)")
            ->type_name("ADDRESS"),
        add_whole_option(app, "--bytes", accesses_.bytes, 1, kMostBytes,
                         "dramsys, ramulator: size of an access that states none (default: 32, a burst of HBM)"),
        app.add_flag("--allow-unsorted", accesses_.allow_unsorted,
                     "dramsys: issue an access whose cycle is over at once; without it, that is an error"),
    };
  }

  void check_format(const sim::TraceFormat& format) const {
    for (const CLI::Option* option : own_) {
      if (!format.has_rows || option->count() == 0) continue;
      throw usage_error(option->get_name() +
                        " is for traces of accesses, --format dramsys or ramulator; rows of csv "
                        "state source, time, address and bytes");
    }
    if (accesses_.allow_unsorted && !format.needs_clock) {
      throw usage_error("--allow-unsorted is for lines that have cycles, those of --format dramsys");
    }
    if (format.needs_clock && accesses_.clock_mhz == 0.0) {
      throw usage_error("--clock-mhz is required: the times of " + std::string(format.name) + " are cycles");
    }
  }

  void write(const topology::Graph& graph, const std::vector<sim::TrafficResult>& results,
             const observe::TextSink& sink) const {
    if (json_) {
      sim::render_traffic_json(graph, results, sink);
    } else {
      sim::render_traffic_tsv(graph, results, sink);
    }
  }
  void check_files(const topology::LoadedTopology& machine) const {
    FileRoles roles;
    choice_.add_roles(machine, roles);
    roles.reads("--trace", trace_);
    roles.writes("--out", out_);
    hops_.add_roles(roles);
    dram_.add_roles(roles);
    waves_.add_roles(roles);
    log_.add_roles(roles);
    roles.check();
  }

  TopologyChoice choice_;
  std::vector<std::string> plugins_;
  std::string trace_;
  std::string format_;
  sim::AccessOptions accesses_;
  std::vector<CLI::Option*> own_;  // options of formats that have accesses
  std::string out_;
  LogChoice log_;
  HopChoice hops_;
  DramChoice dram_;
  WaveChoice waves_;
  double host_time_limit_s_ = 0.0;  // 0: no limit
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_traffic_command(CLI::App& app, const Program& program) {
  return std::make_unique<TrafficCommand>(app, program);
}

}  // namespace kb::cli
