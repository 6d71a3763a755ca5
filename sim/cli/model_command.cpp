#include "sim/cli/model_command.h"

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "sim/cli/help.h"

namespace kb::cli {
namespace {

struct Part {
  const char* name;
  const char* summary;
  std::unique_ptr<Command> (*make)(CLI::App&, const Program&);
};
constexpr Part kParts[] = {
    {"show", "Parameters, memory, and the least time of a step on a machine", make_model_show_command},
    {"step", "Simulate a step: time per token, by launch, beside the least time", make_model_step_command},
    {"verify", "Run a model with data on the machine and compare it with a reference", make_model_verify_command},
    {"requests", "Serve a trace of requests: latencies, throughput, blocks in use", make_model_requests_command},
    {"profile", "Times of a machine's kernels as tables for LLMServingSim and for requests",
     make_model_profile_command},
    {"memo", "Look into a store of simulated launches, unite stores, make one smaller", make_model_memo_command},
    {"lookups", "Ask a profile for times of kernels and steps", make_model_lookups_command},
};

class ModelCommand final : public Command {
 public:
  ModelCommand(CLI::App& app, const Program& program) {
    app.footer(kModelFooter);
    app.require_subcommand(1);
    for (const Part& part : kParts) {
      CLI::App* const own = app.add_subcommand(part.name, part.summary);
      parts_.emplace_back(own, part.make(*own, program));
    }
  }

  int run() override {
    for (const auto& [app, command] : parts_) {
      if (app->parsed()) return command->run();
    }
    throw Error::model("no part of the command was chosen");
  }

 private:
  std::vector<std::pair<CLI::App*, std::unique_ptr<Command>>> parts_;
};

}  // namespace

std::unique_ptr<Command> make_model_command(CLI::App& app, const Program& program) {
  return std::make_unique<ModelCommand>(app, program);
}

}  // namespace kb::cli
