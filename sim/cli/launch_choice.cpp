#include "sim/cli/launch_choice.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "platform/model/report.h"
#include "sim/cli/arguments.h"
#include "sim/cli/model_choice.h"
#include "sim/cli/shipped_models.h"
#include "sim/run/driver/interrupt.h"
#include "sim/study/step/launch_key.h"
#include "sw/model/require_kernels.h"

namespace kb::cli {

void hint_at_store(const std::string& store) {
  if (store.empty()) return;
  sim::set_interrupt_hint("and --store keeps the launches that were simulated: the same command goes on");
}

void LaunchChoice::add_options(CLI::App& app, const Program& program) {
  machine_.program = &program;
  machine_.add_file_option(app);
  machine_.add_set_option(app);
  add_plugin_option(app, plugins_);
  app.add_option("--dtype", dtype_, "Of weights, activations and cache: bf16, f16 or f32 (default: the file's)");
  app.add_option("--store", store_, "Folder that keeps the times of launches, so that a later run goes on with them")
      ->type_name("DIR");
  constexpr std::uint64_t kMostJobs = 1024;
  add_whole_option(app, "--jobs", jobs_, 1, kMostJobs, "Simulations at a time (default: one per core)");
  for (const char* name : {"--set", "--plugin", "--dtype", "--store", "--jobs"}) own_.push_back(app.get_option(name));
}

bool LaunchChoice::given() const {
  return !machine_.file.empty();
}

std::string LaunchChoice::own_option() const {
  for (const CLI::Option* const option : own_) {
    if (option->count() > 0) return option->get_name();
  }
  return "";
}

void LaunchChoice::load(const std::string& model, std::int64_t tp, std::vector<Diagnostic>& warnings) {
  library_ = std::make_unique<WorkloadLibrary>(plugins_);
  const auto load = [&](const std::vector<std::pair<std::string, std::string>>& changes) {
    TopologyChoice machine = machine_;
    for (const auto& [key, value] : changes) machine.sets.push_back(fmt::format("{}={}", key, value));
    return machine.load(library_->blocks().implementations());
  };
  const std::optional<Dtype> chosen = parse_model_dtype(dtype_);
  model::LoadedModel read = model::load_model(model_file(model));
  warnings.insert(warnings.end(), read.warnings.begin(), read.warnings.end());
  const Dtype dtype = model::chosen_dtype(read.spec, chosen);
  model::check_plan(read.spec, {tp, 1, 1, 1});
  sw::require_kernels(read.spec);
  loaded_ = std::make_unique<Loaded>(std::move(read.spec), dtype, step::step_machines(load, tp), *library_, tp);
  loaded_->setup.identity = step::program_identity(plugins_);
}

std::int64_t LaunchChoice::find_room(std::int64_t max_tokens) {
  loaded_->setup.blocks = cells::blocks_with_room(loaded_->setup, max_tokens);
  return loaded_->setup.blocks;
}

void LaunchChoice::use_pattern(const std::vector<serving::Request>& requests) {
  loaded_->setup.pattern = profile::ContextPattern(requests);
}

cells::LaunchSource& LaunchChoice::open_source() {
  hint_at_store(store_);
  memo_ = std::make_unique<step::Memo>(store_, step::subject_of(machine_name(), loaded_->spec.name()));
  simulator_ = std::make_unique<cells::CellSimulator>(loaded_->setup, *memo_, static_cast<int>(jobs_));
  source_ = std::make_unique<cells::LaunchSource>(*simulator_, loaded_->setup.plan.tp > 1);
  return *source_;
}

}  // namespace kb::cli
