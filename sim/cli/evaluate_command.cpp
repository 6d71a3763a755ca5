#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "sim/cli/arguments.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"
#include "sim/driver/interrupt.h"
#include "sim/evaluate/catalog.h"
#include "sim/evaluate/run_evaluation.h"

namespace kb::cli {
namespace {

constexpr const char* kFastVariable = "MILESTONE_FAST";
constexpr std::size_t kNameWidth = 10;

class EvaluateCommand final : public Command {
 public:
  EvaluateCommand(CLI::App& app, const Program& program) {
    choice_.program = &program;
    std::string names;
    for (const evaluate::EvaluationEntry& entry : evaluate::evaluations()) {
      std::string name = entry.name;
      name.resize(std::max<std::size_t>(name.size(), kNameWidth), ' ');
      names += "\n  " + name + "  " + entry.summary;
    }
    app.footer("Evaluations:" + names + "\n\n" + kEvaluateFooter);
    app.add_option("NAME", name_, "Which evaluation")->required();
    choice_.add_file_option(app);
    choice_.add_set_option(app);
    app.add_option("--out", out_, "Folder for data and figures (default: evaluation/NAME)")->type_name("DIR");
    add_whole_option(app, "--jobs", jobs_, 1, 9999, "Runs at a time (default: one per core)");
    app.add_flag("--fast", fast_, "Do not simulate: draw from the data file that is there (also: MILESTONE_FAST=1)");
    app.add_option("--shapes", options_.shapes,
                   "Shapes MxKxN instead of the evaluation's own, with commas between; all are drawn")
        ->type_name("LIST");
    app.add_option("--exclude", options_.exclude, "Shapes that are measured and not drawn")->type_name("LIST");
    app.add_option("--reference", options_.reference,
                   "allreduce: JSON file with a measurement to draw (default: the one that comes along)")
        ->type_name("FILE");
    app.add_option("--sections", options_.sections,
                   "validation: parts to run, with commas between (default: all but monotony)")
        ->type_name("LIST");
    add_whole_option(app, "--draws", options_.draws, 1, 100000, "validation: random pairs of machines to compare");
    app.add_flag("--quiet", quiet_, "Print errors and violated checks only");
  }

  int run() override {
    const evaluate::EvaluationEntry& entry = evaluate::find_evaluation(name_);
    const std::unique_ptr<evaluate::IEvaluation> evaluation = entry.make(options_);
    const topology::LoadedTopology machine = choice_.load();
    if (!quiet_) print_warnings(machine.warnings);
    evaluate::RunOptions options;
    options.folder = out_.empty() ? std::string("evaluation/") + entry.name : out_;
    options.topology = topology_options();
    options.jobs = static_cast<int>(jobs_);
    const char* const fast = std::getenv(kFastVariable);
    options.fast = fast_ || (fast != nullptr && std::string(fast) == "1");
    if (!quiet_ && ::isatty(STDERR_FILENO) == 1) {
      options.progress = [](std::size_t done, std::size_t points) {
        std::fprintf(stderr, "\r%zu of %zu points%s", done, points, done == points ? "\n" : "");
      };
    }
    check_files(machine, options.folder, evaluation->data_file());
    sim::set_interrupt_hint("points that are finished are kept; run the same command again to go on");
    options.measured = [] {
      sim::set_interrupt_hint("the data file is complete; the same command with --fast draws from it");
    };
    const auto begin = std::chrono::steady_clock::now();
    const evaluate::RunSummary summary = evaluate::run_evaluation(*evaluation, machine, options);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!quiet_) {
      for (const std::string& remark : summary.remarks) {
        print_note("kernbench evaluate: note: " + remark);
      }
      print_text(report(summary, seconds));
    }
    for (const evaluate::Violation& violation : summary.violations) {
      print_note("kernbench evaluate: check " + violation.rule + " failed: " + violation.text);
    }
    return summary.violations.empty() ? 0 : exit_code(ErrorFamily::program);
  }

 private:
  void check_files(const topology::LoadedTopology& machine, const std::string& folder,
                   const std::string& data_file) const {
    FileRoles roles;
    choice_.add_roles(machine, roles);
    roles.reads("--reference", options_.reference);
    const std::string table = data_file.substr(0, data_file.rfind('.')) + ".csv";
    for (const std::string& file : {data_file, table, std::string("host.json")}) {
      roles.writes("a file of the evaluation", folder + "/" + file);
    }
    roles.check();
  }

  std::vector<std::string> topology_options() const {
    std::vector<std::string> options;
    if (!choice_.file.empty()) options = {"--topology", choice_.file};
    for (const std::string& set : choice_.sets) options.insert(options.end(), {"--set", set});
    return options;
  }

  std::string report(const evaluate::RunSummary& summary, double seconds) const {
    char time[32];
    std::snprintf(time, sizeof time, "%.1f s", seconds);
    std::string text = name_ + ": ";
    if (summary.points == 0) {
      text += "drawn from the data file";
    } else {
      text += std::to_string(summary.points) + " points";
      if (summary.resumed > 0) text += " (" + std::to_string(summary.resumed) + " from an interrupted call)";
    }
    text += std::string(" in ") + time + ", checks " + (summary.violations.empty() ? "passed" : "FAILED") + "\n";
    for (const std::string& file : summary.files) text += "  " + file + "\n";
    return text;
  }

  TopologyChoice choice_;
  std::string name_;
  std::string out_;
  std::uint64_t jobs_ = 0;
  bool fast_ = false;
  bool quiet_ = false;
  evaluate::EvaluationOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_evaluate_command(CLI::App& app, const Program& program) {
  return std::make_unique<EvaluateCommand>(app, program);
}

}  // namespace kb::cli
