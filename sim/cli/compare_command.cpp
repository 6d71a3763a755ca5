#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "platform/base/error.h"
#include "sim/analysis/compare/comparison.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"
#include "sim/study/files/json_file.h"
#include "sim/study/step/step_compare.h"

namespace kb::cli {
namespace {

class CompareCommand final : public Command {
 public:
  explicit CompareCommand(CLI::App& app) {
    app.footer(kCompareFooter);
    app.add_option("A", before_, "Folder of a run, or its result.json; or what model step --out wrote")->required();
    app.add_option("B", after_, "The run to compare with it")->required();
    app.add_option("--rows", rows_, "Launches, blocks and settings to show at most")
        ->type_name("N")
        ->capture_default_str();
    app.add_flag("--json", json_, "Everything as JSON");
  }

  int run() override {
    const bool is_step = step::is_step_file(before_);
    if (is_step != step::is_step_file(after_)) {
      check_file(is_step ? after_ : before_);
      throw Error::configuration(fmt::format("{} is a step of a model and {} is none; give two steps, or two runs",
                                             is_step ? before_ : after_, is_step ? after_ : before_));
    }
    if (is_step) {
      const step::StepComparison steps =
          step::compare_steps(step::read_step_file(before_), step::read_step_file(after_));
      json_ ? print(step::render_step_comparison_json(steps)) : print_text(step::render_step_comparison(steps, rows_));
      return 0;
    }
    const sim::Comparison comparison = sim::compare_results(before_, after_);
    json_ ? print(sim::render_comparison_json(comparison)) : print_text(sim::render_comparison(comparison, rows_));
    return 0;
  }

 private:
  // A file that holds no step may be missing or damaged; the reader says which.
  static void check_file(const std::string& file) {
    if (!std::filesystem::is_directory(file)) files::read_json(file, files::kMaxDataBytes);
  }

  std::string before_, after_;
  std::size_t rows_ = 12;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_compare_command(CLI::App& app, const Program&) {
  return std::make_unique<CompareCommand>(app);
}

}  // namespace kb::cli
