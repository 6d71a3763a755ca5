#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "platform/base/error.h"
#include "platform/topology/ccl_config.h"
#include "sim/cli/dram_check.h"
#include "sim/cli/help.h"
#include "sim/cli/plugin_check.h"
#include "sim/cli/program.h"
#include "sim/cli/workload_library.h"
#include "sw/distributed/algorithms.h"

namespace kb::cli {
namespace {

class CheckCommand final : public Command {
 public:
  explicit CheckCommand(CLI::App& app) {
    app.footer(kCheckFooter);
    CLI::Option* const files =
        app.add_option("FILES", files_, "Topology and collective configuration files; not needed with --plugin")
            ->type_name("FILE");
    choice_.add_set_option(app);
    add_plugin_option(app, plugins_);
    CLI::Option* const trace =
        app.add_option("--dram-trace", dram_trace_,
                       "Check commands of memory channels against their standard, packed by gzip or not")
            ->type_name("FILE")
            ->excludes(files)
            ->excludes(app.get_option("--set"))
            ->excludes(app.get_option("--plugin"));
    app.add_flag("--json", json_, "With --dram-trace: JSON instead of text")->needs(trace);
  }

  int run() override {
    if (!dram_trace_.empty()) return check_commands();
    if (files_.empty() && plugins_.empty()) throw usage_error("FILES is required, or --plugin or --dram-trace");
    if (!choice_.sets.empty() && std::all_of(files_.begin(), files_.end(), topology::is_ccl_file)) {
      throw usage_error(files_.empty() ? "--set changes keys of a topology; name one"
                                       : "--set changes keys of a topology; the collective configuration is changed "
                                         "in its file");
    }
    const WorkloadLibrary library(plugins_);  // files may name its algorithms and blocks
    std::vector<Diagnostic> problems;
    for (const PluginContents& plugin : library.plugins()) {
      const std::size_t before = problems.size();
      check_plugin(plugin, library, problems);
      if (problems.size() == before) print_text(plugin_text(plugin, library));
    }
    for (const std::string& file : files_) {
      const std::optional<Checked> good = check(file, library, problems);
      if (!good) continue;
      print_text(good->text);
      print_warnings(good->warnings);
    }
    if (!problems.empty()) throw Error(std::move(problems));
    return 0;
  }

 private:
  int check_commands() const {
    const dram::LegalityReport report = check_dram_trace(dram_trace_);
    if (json_) {
      print(dram_check_json(dram_trace_, report));
    } else {
      print_text(dram_check_text(dram_trace_, report));
    }
    return report.violations == 0 ? 0 : 1;
  }

  struct Checked {
    std::string text;
    std::vector<Diagnostic> warnings;
  };

  std::optional<Checked> check(const std::string& file, const WorkloadLibrary& library,
                               std::vector<Diagnostic>& problems) const {
    try {
      return topology::is_ccl_file(file) ? check_ccl(file, library) : check_topology(file, library);
    } catch (const Error& error) {
      if (error.family() != ErrorFamily::configuration) throw;
      if (error.diagnostics().empty()) {
        problems.push_back({file, 0, 0, "", error.what(), ""});
      } else {
        problems.insert(problems.end(), error.diagnostics().begin(), error.diagnostics().end());
      }
    }
    return std::nullopt;
  }

  // Checks every entry against its algorithm, like a run that uses it.
  static Checked check_ccl(const std::string& file, const WorkloadLibrary& library) {
    const sw::AllReduceCatalog& known = library.all_reduces();
    const topology::CclConfig chosen = topology::load_ccl({file, "", {}, known.names()});
    std::vector<Diagnostic> problems;
    for (const std::string& entry : chosen.algorithms) {
      const topology::CclConfig ccl = topology::load_ccl({file, entry, {}, known.names()});
      if (ccl.links_only()) continue;
      const sw::AllReduceAlgorithm& algorithm = known.find(ccl.module);
      collect_problems(problems, [&] { sw::require_wiring(algorithm, ccl); });
      if (ccl.module == topology::kDefaultAlgorithm) continue;  // its tiles follow the key
      collect_problems(problems, [&] { sw::require_tiles(algorithm, ccl); });
    }
    if (!problems.empty()) throw Error(std::move(problems));
    return {
        file + ": ok (collectives, " + (chosen.links_only() ? "links only, " : "algorithm ") + chosen.algorithm + ")\n",
        chosen.warnings};
  }

  Checked check_topology(const std::string& file, const WorkloadLibrary& library) const {
    const topology::LoadedTopology machine = load(file, library);
    Checked good{file + ": ok (" + std::to_string(machine.graph.nodes.size()) + " nodes, " +
                     std::to_string(machine.graph.edges.size()) + " edges)\n",
                 machine.warnings};
    return good;
  }

  topology::LoadedTopology load(const std::string& file, const WorkloadLibrary& library) const {
    TopologyChoice choice = choice_;
    choice.file = file;
    return choice.load(library.blocks().implementations());
  }

  std::vector<std::string> files_;
  std::vector<std::string> plugins_;
  std::string dram_trace_;
  bool json_ = false;
  TopologyChoice choice_;  // its overrides apply to every topology file
};

}  // namespace

std::unique_ptr<Command> make_check_command(CLI::App& app, const Program&) {
  return std::make_unique<CheckCommand>(app);
}

}  // namespace kb::cli
