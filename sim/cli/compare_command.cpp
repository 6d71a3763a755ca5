#include <CLI/CLI.hpp>

#include "sim/analysis/compare/comparison.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"

namespace kb::cli {
namespace {

class CompareCommand final : public Command {
 public:
  explicit CompareCommand(CLI::App& app) {
    app.footer(kCompareFooter);
    app.add_option("A", before_, "Folder of a run, or its result.json")->required();
    app.add_option("B", after_, "The run to compare with it")->required();
    app.add_option("--rows", rows_, "Launches and blocks to show at most")->type_name("N")->capture_default_str();
    app.add_flag("--json", json_, "Everything as JSON");
  }

  int run() override {
    const sim::Comparison comparison = sim::compare_results(before_, after_);
    json_ ? print(sim::render_comparison_json(comparison)) : print_text(sim::render_comparison(comparison, rows_));
    return 0;
  }

 private:
  std::string before_, after_;
  std::size_t rows_ = 12;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_compare_command(CLI::App& app, const Program&) {
  return std::make_unique<CompareCommand>(app);
}

}  // namespace kb::cli
