// Options that say which machine is simulated for the times of a model's launches.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/cli/program.h"
#include "sim/cli/workload_library.h"
#include "sim/study/cells/launch_source.h"
#include "sim/study/cells/model_on_machine.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kb::cli {

// An interrupt says that the launches in this folder of --store are kept; does nothing when it is "".
void hint_at_store(const std::string& store);

class LaunchChoice {
 public:
  // --topology, --set, --plugin, --dtype, --store, --jobs.
  void add_options(CLI::App& app, const Program& program);
  bool given() const;  // --topology
  // The first option that needs --topology and was given; "" when there is none.
  std::string own_option() const;

  // Loads machine and model. Configuration Error with their problems, and where the model cannot be simulated or does
  // not fit; warnings are added.
  void load(const std::string& model, std::int64_t tp, std::vector<Diagnostic>& warnings);
  // Blocks of the cache for which a SIP has room beside a step of so many tokens; cells keep within it.
  std::int64_t find_room(std::int64_t max_tokens);
  // Contexts of decodes as in these requests.
  void use_pattern(const std::vector<serving::Request>& requests);
  // Makes the source of times; after use_pattern().
  cells::LaunchSource& open_source();

  const cells::CellSetup& setup() const { return loaded_->setup; }
  const cells::LaunchSource& source() const { return *source_; }
  cells::CellSimulator& simulator() { return *simulator_; }
  const cells::CellSimulator& simulator() const { return *simulator_; }
  const std::string& machine_name() const { return loaded_->machines.all.file; }

 private:
  struct Loaded {
    Loaded(model::ModelSpec model, Dtype dtype, step::StepMachines both, const WorkloadLibrary& library,
           std::int64_t tp)
        : spec(std::move(model)),
          machines(std::move(both)),
          setup{
              spec, {tp, 1, 1, 1}, dtype, machines, {&library.kernels(), &library.blocks(), &library.all_reduces()}, "",
              {}} {}
    model::ModelSpec spec;
    step::StepMachines machines;
    cells::CellSetup setup;
  };

  TopologyChoice machine_;
  std::vector<std::string> plugins_;
  std::string dtype_, store_;
  std::uint64_t jobs_ = 0;
  std::vector<CLI::Option*> own_;
  std::unique_ptr<WorkloadLibrary> library_;
  std::unique_ptr<Loaded> loaded_;
  std::unique_ptr<step::Memo> memo_;
  std::unique_ptr<cells::CellSimulator> simulator_;
  std::unique_ptr<cells::LaunchSource> source_;
};

}  // namespace kb::cli
