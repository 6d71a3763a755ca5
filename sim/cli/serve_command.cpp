#include <CLI/CLI.hpp>

#include "platform/base/error.h"
#include "sim/cli/arguments.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"
#include "sim/cli/wave_choice.h"
#include "sim/cli/workload_library.h"
#include "sim/remote/serve.h"

namespace kb::cli {
namespace {

constexpr double kLongestQuantumNs = 1e9;

class ServeCommand final : public Command {
 public:
  ServeCommand(CLI::App& app, const Program& program) : name_(program.name + " serve") {
    choice_.program = &program;
    app.footer(kServeFooter);
    app.add_option("--remote-port", place_, "Where the peer connects: unix:PATH of a socket")
        ->type_name("unix:PATH")
        ->required();
    add_real_option(app, "--quantum-ns", options_.quantum_ns, 0.0, kLongestQuantumNs,
                    "How far time runs beyond the stamp of the peer's latest packet (1000)");
    choice_.add_file_option(app);
    choice_.add_set_option(app);
    app.add_option("--data", options_.device.data, "Contents of memory: eager, replay or off")->capture_default_str();
    app.add_option("--oplog", options_.device.oplog, "Write the operation log to FILE")->type_name("FILE");
    waves_.add_options(app);
    add_plugin_option(app, plugins_);
  }

  int run() override {
    constexpr std::string_view kUnix = "unix:";
    if (place_.compare(0, kUnix.size(), kUnix) != 0) {
      throw usage_error("--remote-port '" + place_ + "': write unix:PATH, e.g. unix:kb.sock");
    }
    waves_.check();
    waves_.configure(options_.device);
    FileRoles roles;
    roles.reads("--topology", choice_.file);
    for (const std::string& plugin : plugins_) roles.reads("--plugin", plugin);
    roles.writes("--oplog", options_.device.oplog);
    waves_.add_roles(roles);
    roles.check();
    const WorkloadLibrary library(plugins_);
    options_.path = place_.substr(kUnix.size());
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
  std::string name_;
  TopologyChoice choice_;
  WaveChoice waves_;
  std::string place_;
  remote::ServeOptions options_;
  std::vector<std::string> plugins_;
};

}  // namespace

std::unique_ptr<Command> make_serve_command(CLI::App& app, const Program& program) {
  return std::make_unique<ServeCommand>(app, program);
}

}  // namespace kb::cli
