#include <CLI/CLI.hpp>

#include "sim/cli/help.h"
#include "sim/cli/log_choice.h"
#include "sim/cli/program.h"
#include "sim/cli/workload_library.h"
#include "sim/study/probe/probe.h"

namespace kb::cli {
namespace {

class ProbeCommand final : public Command {
 public:
  ProbeCommand(CLI::App& app, const Program& program) {
    choice_.program = &program;
    app.footer(kProbeFooter);
    choice_.add_file_option(app);
    choice_.add_set_option(app);
    add_plugin_option(app, plugins_);
    app.add_option("--case", case_, "Only the case of this name")->type_name("NAME")->capture_default_str();
    app.add_flag("--routes", routes_, "Print the utilisation by size and what each transfer passes, too");
    log_.add_log_option(app);
    app.add_flag("--json", json_, "Print as JSON");
    app.add_flag("--strict", strict_, "Exit code 1 when a check fails");
  }

  int run() override {
    const WorkloadLibrary library(plugins_);
    const topology::LoadedTopology machine = choice_.load(library.blocks().implementations());
    print_warnings(machine.warnings);
    log_.check(machine.graph);
    observe::OutputSet no_files;
    const std::unique_ptr<observe::EventLog> log = log_.open(no_files);
    const sim::ProbeReport report = sim::run_probe(machine, case_, {&library.blocks(), log.get()});
    json_ ? print(sim::render_probe_json(machine, report)) : print_text(sim::render_probe(machine, report, routes_));
    return strict_ && !report.ok() ? exit_code(ErrorFamily::program) : 0;
  }

 private:
  TopologyChoice choice_;
  std::vector<std::string> plugins_;
  LogChoice log_;
  std::string case_ = "all";
  bool routes_ = false;
  bool json_ = false;
  bool strict_ = false;
};

}  // namespace

std::unique_ptr<Command> make_probe_command(CLI::App& app, const Program& program) {
  return std::make_unique<ProbeCommand>(app, program);
}

}  // namespace kb::cli
