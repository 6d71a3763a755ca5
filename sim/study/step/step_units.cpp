#include "sim/study/step/step_units.h"

#include <memory>

#include "platform/base/error.h"
#include "sim/run/driver/simulation.h"
#include "sw/distributed/process_group.h"
#include "sw/runtime/runtime.h"

namespace kb::step {
namespace {

constexpr contract::DataMode kNoData = contract::DataMode::off;
TimeFs time_of(const sw::LaunchSpan& span) {
  if (span.late)
    throw Error::model(
        "a launch from a quiet machine came after its start stamp; take the whole step, or a sample, in one run "
        "(--memo off, --sample)");
  return span.end - span.start;
}

}  // namespace

void run_program(const topology::LoadedTopology& machine, const Catalogs& catalogs, contract::DataMode data,
                 const std::function<void(sw::Runtime&)>& program) {
  sim::SimulationOptions options;
  options.data_mode = data;
  options.kernels = catalogs.kernels;
  options.blocks = catalogs.blocks;
  const sim::SimulationResult result = sim::simulate(machine, options, [&](contract::IHost& host) {
    sw::RuntimeOptions runtime_options;
    runtime_options.all_reduces = catalogs.all_reduces;
    sw::Runtime runtime(host, catalogs.kernels, runtime_options);
    program(runtime);
  });
  if (result.failure) throw Error(*result.failure);
}

std::vector<TimeFs> simulate_launches(const topology::LoadedTopology& one, const Catalogs& catalogs,
                                      const sw::Program& program, const std::vector<sw::LaunchOnRank>& wanted) {
  std::vector<TimeFs> times;
  run_program(one, catalogs, kNoData, [&](sw::Runtime& runtime) {
    for (const sw::LaunchSpan& span : sw::run_launches(runtime, program, wanted)) times.push_back(time_of(span));
  });
  return times;
}

std::vector<TimeFs> simulate_sum(const topology::LoadedTopology& all, const Catalogs& catalogs,
                                 const sw::Program& program, std::size_t launch, const std::vector<TimeFs>& offsets) {
  std::vector<TimeFs> ends;
  run_program(all, catalogs, kNoData, [&](sw::Runtime& runtime) {
    sw::ProcessGroup group(runtime);
    const std::vector<sw::LaunchSpan> spans = sw::run_sum(runtime, group, program, launch, offsets);
    for (std::size_t rank = 0; rank < spans.size(); ++rank) ends.push_back(offsets[rank] + time_of(spans[rank]));
  });
  return ends;
}

TimeFs simulate_gap(const topology::LoadedTopology& one, const Catalogs& catalogs) {
  TimeFs gap = 0_fs;
  run_program(one, catalogs, kNoData, [&](sw::Runtime& runtime) { gap = sw::launch_gap(runtime); });
  return gap;
}

TimeFs simulate_host_turn(const topology::LoadedTopology& one, const Catalogs& catalogs, const sw::Program& program) {
  TimeFs turn = 0_fs;
  run_program(one, catalogs, kNoData, [&](sw::Runtime& runtime) { turn = sw::host_turn(runtime, program); });
  return turn;
}

std::vector<std::vector<sw::LaunchSpan>> simulate_step(const topology::LoadedTopology& all, const Catalogs& catalogs,
                                                       const sw::Program& program) {
  std::vector<std::vector<sw::LaunchSpan>> spans;
  run_program(all, catalogs, kNoData, [&](sw::Runtime& runtime) {
    std::unique_ptr<sw::ProcessGroup> group;
    if (program.ranks > 1) group = std::make_unique<sw::ProcessGroup>(runtime);
    spans = sw::run_step(runtime, group.get(), program);
  });
  return spans;
}

}  // namespace kb::step
