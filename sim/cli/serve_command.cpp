#include <CLI/CLI.hpp>
#include <fstream>
#include <string>

#include "platform/base/error.h"
#include "platform/observe/output_file.h"
#include "sim/cli/arguments.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"
#include "sim/cli/wave_choice.h"
#include "sim/cli/workload_library.h"
#include "sim/ports/remote/serve.h"
#include "sim/run/driver/run_files.h"

namespace kb::cli {
namespace {

constexpr double kLongestQuantumNs = 1e9;
constexpr int kMostSessions = 1'000'000;

// The first line of a file. Configuration Error when there is none.
std::string read_token(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line.empty()) {
    throw Error::configuration("--token-file " + path + ": it has no line that could be a token");
  }
  return line;
}

class ServeCommand final : public Command {
 public:
  ServeCommand(CLI::App& app, const Program& program) : name_(program.name + " serve") {
    choice_.program = &program;
    app.footer(kServeFooter);
    app.add_option("--remote-port", options_.place,
                   "Where the peer connects: unix:PATH, tcp:PORT (this machine alone) or tcp:HOST:PORT")
        ->type_name("PLACE")
        ->required();
    app.add_option("--token-file", token_file_,
                   "File with a line that a peer has to say first; needed beyond this machine")
        ->type_name("FILE");
    app.add_option("--sessions", options_.sessions, "Peers to be served, one after the other; 0: until Ctrl-C (1)")
        ->check(CLI::Range(0, kMostSessions));
    add_real_option(app, "--quantum-ns", options_.quantum_ns, 0.0, kLongestQuantumNs,
                    "How far time runs beyond the stamp of the peer's latest packet (1000)");
    choice_.add_file_option(app);
    choice_.add_set_option(app);
    app.add_option("--data", options_.device.data, "Contents of memory: eager, replay or off")->capture_default_str();
    app.add_option("--out", options_.device.result,
                   "Folder for a whole record of all sessions, as of run --record, written after the last")
        ->type_name("DIR");
    app.add_option("--oplog", options_.device.oplog, "Write the operation log to FILE")->type_name("FILE");
    waves_.add_options(app);
    add_plugin_option(app, plugins_);
  }

  int run() override {
    waves_.check();
    waves_.configure(options_.device);
    check_files();
    check_out();
    const WorkloadLibrary library(plugins_);
    if (!token_file_.empty()) options_.token = read_token(token_file_);
    options_.device.topology = choice_.path();
    options_.warn = print_note;
    if (choice_.file.empty()) options_.device.topology_text = choice_.program->topology.text;
    for (const std::string& set : choice_.sets) options_.device.settings.push_back(split_assignment(set));
    options_.device.kernels = &library.kernels();
    options_.device.blocks = &library.blocks();
    const remote::ServeResult result =
        remote::serve(options_, [](const std::string& line) { print_text(line + "\n"); });
    print_text(result.report.text + "  " + std::to_string(result.packets) + " packets\n");
    if (result.report.ok) return 0;
    print_note(name_ + ": error: " + result.report.error_code + ": " + result.report.error_message);
    return exit_code(result.report.error_code == "NO_PROGRESS" ? ErrorFamily::no_progress : ErrorFamily::program);
  }

 private:
  void check_files() const {
    FileRoles roles;
    roles.reads("--topology", choice_.file);
    if (!token_file_.empty()) roles.reads("--token-file", token_file_);
    for (const std::string& plugin : plugins_) roles.reads("--plugin", plugin);
    roles.writes("--oplog", options_.device.oplog);
    waves_.add_roles(roles);
    if (const std::string& out = options_.device.result; !out.empty()) {
      for (const std::string& file : {out, sim::result_file(out), sim::machine_file(out), sim::operations_file(out)}) {
        roles.writes("--out", file);
      }
    }
    roles.check();
  }

  void check_out() const {
    if (options_.device.result.empty()) return;
    if (!options_.device.oplog.empty()) throw usage_error("--out writes ops.sqlite, too; leave --oplog out");
    if (options_.sessions == 0) {
      throw usage_error("--out is written after the last session, and --sessions 0 has none; give their number");
    }
    observe::make_folder(options_.device.result);
  }

  std::string name_;
  TopologyChoice choice_;
  WaveChoice waves_;
  std::string token_file_;
  remote::ServeOptions options_;
  std::vector<std::string> plugins_;
};

}  // namespace

std::unique_ptr<Command> make_serve_command(CLI::App& app, const Program& program) {
  return std::make_unique<ServeCommand>(app, program);
}

}  // namespace kb::cli
