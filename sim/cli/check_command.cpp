#include <CLI/CLI.hpp>

#include "platform/base/error.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"

namespace kb::cli {
namespace {

class CheckCommand final : public Command {
 public:
  explicit CheckCommand(CLI::App& app) {
    app.footer(kCheckFooter);
    app.add_option("FILES", files_, "Topology files")->required()->type_name("FILE");
  }

  int run() override {
    std::vector<Diagnostic> problems;
    for (const std::string& file : files_) {
      try {
        const topology::LoadedTopology machine = topology::load(file);
        print(file + ": ok (" + std::to_string(machine.graph.nodes.size()) + " nodes, " +
              std::to_string(machine.graph.edges.size()) + " edges)\n");
        print_warnings(machine.warnings);
      } catch (const Error& error) {
        if (error.family() != ErrorFamily::configuration) throw;
        if (error.diagnostics().empty()) {
          problems.push_back({file, 0, 0, "", error.what(), ""});
        } else {
          problems.insert(problems.end(), error.diagnostics().begin(), error.diagnostics().end());
        }
      }
    }
    if (!problems.empty()) throw Error(std::move(problems));
    return 0;
  }

 private:
  std::vector<std::string> files_;
};

}  // namespace

std::unique_ptr<Command> make_check_command(CLI::App& app, const Program&) {
  return std::make_unique<CheckCommand>(app);
}

}  // namespace kb::cli
