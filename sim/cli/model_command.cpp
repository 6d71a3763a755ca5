// `kernbench model`: whole models.
#include <CLI/CLI.hpp>

#include "platform/base/nearest.h"
#include "sim/cli/help.h"
#include "sim/cli/model_parts.h"

namespace kb::cli {
namespace {

struct Part {
  const char* name;
  const char* summary;
  std::unique_ptr<Command> (*make)(CLI::App&, const Program&);
};
constexpr Part kParts[] = {
    {"requests", "Serve a trace of requests: latencies, throughput, blocks in use", make_model_requests_command},
    {"lookups", "Ask a profile for times of kernels and steps", make_model_lookups_command},
};

class ModelCommand final : public Command {
 public:
  ModelCommand(CLI::App& app, const Program& program) {
    app.footer(kModelFooter);
    app.require_subcommand(0, 1);
    for (const Part& part : kParts) {
      commands_.push_back(part.make(*app.add_subcommand(part.name, part.summary), program));
      names_.emplace_back(part.name);
    }
  }

  int run() override { throw usage_error("no part given after model; " + suggest("", names_)); }

  Command* part(const std::string& word) override {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == word) return commands_[i].get();
    }
    throw usage_error("model has no part " + word + "; " + suggest(word, names_));
  }

 private:
  std::vector<std::unique_ptr<Command>> commands_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<Command> make_model_command(CLI::App& app, const Program& program) {
  return std::make_unique<ModelCommand>(app, program);
}

}  // namespace kb::cli
