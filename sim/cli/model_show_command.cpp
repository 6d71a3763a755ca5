#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/model/report.h"
#include "platform/model/stored_tensors.h"
#include "sim/cli/help.h"
#include "sim/cli/model_choice.h"
#include "sim/cli/model_command.h"
#include "sim/cli/shipped_models.h"
#include "sim/cli/workload_library.h"

namespace kb::cli {
namespace {

class ModelShowCommand final : public Command {
 public:
  ModelShowCommand(CLI::App& app, const Program& program) {
    app.footer(kModelShowFooter);
    choice_.add_options(app, program);
    app.add_option("--weights", weights_,
                   "Compare with the tensors of FILE: model.safetensors or model.safetensors.index.json")
        ->type_name("FILE");
    app.add_flag("--json", json_, "Print as JSON, with the tensors of every operation");
  }

  int run() override {
    const model::ReportChoice choice = choice_.read();
    const WorkloadLibrary library(choice_.plugins);
    const topology::LoadedTopology machine = choice_.machine.load(library.blocks().implementations());
    model::LoadedModel loaded = model::load_model(model_file(choice_.model));
    std::vector<Diagnostic> warnings = std::move(loaded.warnings);
    if (!weights_.empty()) {
      const std::vector<Diagnostic> more =
          model::check_stored_tensors(loaded.spec, model::read_stored_tensors(weights_), weights_);
      warnings.insert(warnings.end(), more.begin(), more.end());
    }
    const model::ModelReport report =
        model::make_report(std::move(loaded.spec), choice, machine.graph.spec, machine.file);
    print_warnings(warnings);
    print_warnings(model::report_notes(report));
    if (json_) {
      print(model::render_report_json(report));
    } else {
      print_text(model::render_report(report));
    }
    if (const std::optional<Error> problem = model::fit_problem(report)) throw Error(*problem);
    return 0;
  }

 private:
  ModelChoice choice_;
  std::string weights_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_model_show_command(CLI::App& app, const Program& program) {
  return std::make_unique<ModelShowCommand>(app, program);
}

}  // namespace kb::cli
