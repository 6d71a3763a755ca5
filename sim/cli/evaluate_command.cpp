#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "platform/base/split.h"
#include "sim/cli/arguments.h"
#include "sim/cli/catalogs.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"
#include "sim/driver/interrupt.h"
#include "sim/driver/progress.h"
#include "sim/evaluate/catalog.h"
#include "sim/evaluate/evaluator.h"
#include "sim/evaluate/folder_lock.h"
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
    app.add_option("--sweeps", sweeps_,
                   "Sweeps of the evaluation to run, with commas between (default: all that are quick)")
        ->type_name("LIST");
    app.add_option("--copy", copy_, "Run nothing: copy the evaluation to a folder, to change it")->type_name("DIR");
    add_whole_option(app, "--draws", options_.draws, 1, 100000, "validation: random pairs of machines to compare");
    app.add_flag("--quiet", quiet_, "Print errors and violated checks only");
  }

  int run() override {
    const std::string found = evaluation_folder(name_);
    if (!found.empty()) return run_folder(found);
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
  // Of an installed evaluation, or of a user's own; "" = there is none.
  static std::string evaluation_folder(const std::string& name) {
    for (const auto& [known, folder] : evaluate::installed_evaluations()) {
      if (name == known) return folder;
    }
    return std::filesystem::is_regular_file(name + "/evaluation.yaml") ? name : std::string();
  }

  int run_folder(const std::string& folder) {
    if (!copy_.empty()) return copy(folder);
    const evaluate::EvaluationSpec spec =
        evaluate::read_evaluation(std::filesystem::absolute(folder).lexically_normal());
    evaluate::EvaluatorOptions options;
    options.out =
        std::filesystem::absolute(out_.empty() ? "evaluation/" + spec.name : out_).lexically_normal().string();
    if (!choice_.file.empty()) options.topology = std::filesystem::absolute(choice_.file).string();
    for (const std::string& set : choice_.sets) options.sets.push_back(split_assignment(set));
    if (!sweeps_.empty()) options.sweeps = split(sweeps_, ',');
    options.jobs = static_cast<int>(jobs_);
    const char* const fast = std::getenv(kFastVariable);
    options.fast = fast_ || (fast != nullptr && std::string(fast) == "1");
    options.progress = quiet_ ? sim::Progress::on_request : sim::Progress::automatic;
    options.failed = [](const evaluate::CheckFailure& failure) {
      print_note("kernbench evaluate: check " + failure.rule + " failed: " + failure.text);
    };
    const evaluate::FolderLock lock(options.out, true);
    std::filesystem::current_path(spec.folder);
    sim::set_interrupt_hint("finished points are kept; the same command goes on");
    const WorkloadLibrary library({});
    const auto begin = std::chrono::steady_clock::now();
    const evaluate::EvaluationSummary summary =
        evaluate::evaluate(spec, catalogs_of(library, *choice_.program), options);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!quiet_) {
      for (const std::string& note : summary.notes) print_note("kernbench evaluate: note: " + note);
      print_text(text_of(spec.name, summary, options.fast, seconds));
    }
    return summary.failures == 0 ? 0 : exit_code(ErrorFamily::program);
  }

  int copy(const std::string& folder) const {
    if (std::filesystem::exists(copy_))
      throw usage_error("--copy " + copy_ + ": it is there already; name a new folder");
    std::error_code error;
    std::filesystem::copy(folder, copy_, std::filesystem::copy_options::recursive, error);
    if (!error) bring_style(folder, error);
    if (error) throw Error::configuration("cannot copy " + folder + " to " + copy_ + ": " + error.message());
    print_text("kernbench evaluate " + copy_ + " runs this copy\n");
    return 0;
  }

  // The style that evaluations share lies beside their folders: the copy gets one of its own.
  void bring_style(const std::string& folder, std::error_code& error) const {
    const std::string shared = "\nstyle: ../style.gp\n", file = copy_ + "/evaluation.yaml";
    std::ifstream reading(file);
    std::string text{std::istreambuf_iterator<char>(reading), {}};
    const std::size_t found = text.find(shared);
    if (found == std::string::npos) return;
    std::filesystem::copy_file(folder + "/../style.gp", copy_ + "/style.gp", error);
    if (error) return;
    std::ofstream writing(file);
    writing << text.replace(found, shared.size(), "\nstyle: style.gp\n");
    if (!writing.flush()) error = std::make_error_code(std::errc::io_error);
  }

  static std::string text_of(const std::string& name, const evaluate::EvaluationSummary& summary, bool fast,
                             double seconds) {
    std::string text = name + ": ";
    text += fast ? std::string("drawn from the tables of an earlier call")
                 : fmt::format("{} points, {} were run", summary.points, summary.run);
    text += fmt::format(", {:.1f} s, checks {}\n", seconds, summary.failures == 0 ? "passed" : "FAILED");
    for (const std::string& file : summary.files) text += "  " + file + "\n";
    return text;
  }

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
  std::string sweeps_;
  std::string copy_;
  evaluate::EvaluationOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_evaluate_command(CLI::App& app, const Program& program) {
  return std::make_unique<EvaluateCommand>(app, program);
}

}  // namespace kb::cli
