#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "platform/base/nearest.h"
#include "platform/base/split.h"
#include "sim/cli/arguments.h"
#include "sim/cli/catalogs.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"
#include "sim/run/driver/interrupt.h"
#include "sim/run/driver/progress.h"
#include "sim/study/evaluate/evaluator.h"
#include "sim/study/files/folder_lock.h"

namespace kb::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFastVariable = "MILESTONE_FAST";
constexpr const char* kFile = "evaluation.yaml";
constexpr std::size_t kNameWidth = 10;

class EvaluateCommand final : public Command {
 public:
  EvaluateCommand(CLI::App& app, const Program& program) {
    choice_.program = &program;
    app.footer(kEvaluateFooter);
    app.add_option("NAME", name_, "Which evaluation, or the folder of one")->required();
    choice_.add_file_option(app);
    choice_.add_set_option(app);
    app.add_option("--out", out_, "Folder for tables and figures (default: evaluation/NAME)")->type_name("DIR");
    add_whole_option(app, "--jobs", jobs_, 1, 9999, "Runs at a time (default: one per core)");
    app.add_option("--sweeps", sweeps_, "Run these sweeps only, with commas between (default: all that are quick)")
        ->type_name("LIST");
    app.add_flag("--fast", fast_, "Do not simulate: take the tables that are there (also: MILESTONE_FAST=1)");
    app.add_option("--copy", copy_, "Run nothing: copy the evaluation to a new folder, to change it")->type_name("DIR");
    app.add_flag("--quiet", quiet_, "Print errors and failed checks only");
  }

  std::string help() const override {
    std::string text = "\nEvaluations:";
    for (const auto& [name, folder] : evaluate::installed_evaluations()) {
      text += fmt::format("\n  {:<{}}  {}", name, kNameWidth, evaluate::about(folder));
    }
    return text + "\n\n";
  }

  int run() override {
    const std::string folder = evaluation_folder();
    if (!copy_.empty()) return copy(folder);
    const evaluate::EvaluationSpec spec = evaluate::read_evaluation(fs::absolute(folder).lexically_normal());
    const evaluate::EvaluatorOptions options = options_of(spec);
    const files::FolderLock lock(options.out, !options.fast);
    fs::current_path(spec.folder);
    sim::set_interrupt_hint("finished points are kept; the same command goes on");
    const WorkloadLibrary library({});
    const auto begin = std::chrono::steady_clock::now();
    const evaluate::EvaluationSummary summary =
        evaluate::evaluate(spec, catalogs_of(library, *choice_.program), options);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!quiet_) {
      for (const std::string& note : summary.notes) print_note("kernbench evaluate: note: " + note);
      print_text(report(spec.name, summary, options.fast, seconds));
    }
    return summary.failures == 0 ? 0 : exit_code(ErrorFamily::program);
  }

 private:
  std::string evaluation_folder() const {
    std::vector<std::string> names;
    for (const auto& [known, folder] : evaluate::installed_evaluations()) {
      if (name_ == known) return folder;
      names.push_back(known);
    }
    std::error_code ignored;
    if (fs::is_regular_file(name_ + "/" + kFile, ignored)) return name_;
    throw usage_error(fmt::format("unknown evaluation '{}': no installed one, and no folder with {}; {}", name_, kFile,
                                  suggest(name_, names)));
  }

  evaluate::EvaluatorOptions options_of(const evaluate::EvaluationSpec& spec) const {
    evaluate::EvaluatorOptions options;
    options.out = fs::absolute(out_.empty() ? "evaluation/" + spec.name : out_).lexically_normal().string();
    if (!choice_.file.empty()) options.topology = fs::absolute(choice_.path()).string();
    for (const std::string& set : choice_.sets) options.sets.push_back(split_assignment(set));
    if (!sweeps_.empty()) options.sweeps = split(sweeps_, ',');
    options.jobs = static_cast<int>(jobs_);
    const char* const fast = std::getenv(kFastVariable);
    options.fast = fast_ || (fast != nullptr && std::string(fast) == "1");
    options.progress = quiet_ ? sim::Progress::on_request : sim::Progress::automatic;
    options.failed = [](const evaluate::CheckFailure& failure) {
      print_note("kernbench evaluate: check " + failure.rule + " failed: " + failure.text);
    };
    return options;
  }

  int copy(const std::string& folder) const {
    if (fs::exists(copy_)) throw usage_error("--copy " + copy_ + ": it is there already; name a new folder");
    evaluate::copy_evaluation(folder, copy_);
    print_text("kernbench evaluate " + copy_ + " runs this copy\n");
    return 0;
  }

  static std::string report(const std::string& name, const evaluate::EvaluationSummary& summary, bool fast,
                            double seconds) {
    std::string text = name + ": ";
    text += fast ? std::string("drawn from the tables of an earlier call")
                 : fmt::format("{} points, {} were run", summary.points, summary.run);
    text += fmt::format(", {:.1f} s, checks {}\n", seconds, summary.failures == 0 ? "passed" : "FAILED");
    for (const std::string& file : summary.files) text += "  " + file + "\n";
    return text;
  }

  TopologyChoice choice_;
  std::string name_;
  std::string out_;
  std::uint64_t jobs_ = 0;
  std::string sweeps_;
  bool fast_ = false;
  std::string copy_;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> make_evaluate_command(CLI::App& app, const Program& program) {
  return std::make_unique<EvaluateCommand>(app, program);
}

}  // namespace kb::cli
