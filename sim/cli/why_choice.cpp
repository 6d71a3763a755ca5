#include "sim/cli/why_choice.h"

#include <CLI/CLI.hpp>

#include "platform/base/error.h"
#include "sim/cli/arguments.h"
#include "sim/cli/program.h"

namespace kb::cli {

void WhyChoice::add_ladder_options(CLI::App& app, const std::string& prefix) {
  add_whole_option(app, "--top", top_, 1, 100, prefix + "Steps of the ladder (default: 5)");
  add_whole_option(app, "--jobs", jobs_, 1, 9999, prefix + "Runs at a time (default: one per core)");
  add_whole_option(app, "--budget", budget_, 1, 1000000,
                   prefix + "Seconds after which no run begins or goes on; the same command goes on");
}

void WhyChoice::add_options(CLI::App& app) {
  app.add_flag("--why", why_, "Also measure what the run waits for, as 'kernbench why' does");
  add_ladder_options(app, "With --why: ");
}

void WhyChoice::check(const std::string& folder) const {
  if (!why_ && top_ > 0) throw usage_error("--top is of the ladder; add --why");
  if (!why_ && jobs_ > 0) throw usage_error("--jobs is of the ladder; add --why");
  if (!why_ && budget_ > 0) throw usage_error("--budget is of the ladder; add --why");
  if (why_ && folder.empty()) throw usage_error("--why keeps its runs in the folder of the run; add --out DIR");
}

why::ExplainOptions WhyChoice::options(bool quiet) const {
  why::ExplainOptions options;
  if (top_ > 0) options.steps = top_;
  options.jobs = static_cast<int>(jobs_);
  if (budget_ > 0) options.budget_s = static_cast<double>(budget_);
  if (quiet) options.progress = sim::Progress::on_request;
  return options;
}

void WhyChoice::measure(const result::Inputs& inputs, const std::string& folder, const sweep::Catalogs& catalogs,
                        bool quiet) {
  repeat_.emplace(inputs, folder, catalogs);
  try {
    explanation_ = why::explain(*repeat_, nullptr, options(quiet));
  } catch (const Error& error) {
    if (error.family() != ErrorFamily::program) throw;  // the run itself says why it fails
  }
}

void WhyChoice::write(const result::Result& result) const {
  if (!explanation_) return;
  why::check_repeated(result, explanation_->base, repeat_->folder());
  why::write_explanation(*explanation_, *repeat_);
}

std::string WhyChoice::text(bool quiet) const {
  return explanation_ ? why::text_of(*explanation_, *repeat_, options(quiet)) : "";
}

}  // namespace kb::cli
