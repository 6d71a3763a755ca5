#include "sim/run/driver/simulation.h"

#include <algorithm>
#include <systemc>

#include "modules/catalog.h"
#include "modules/pe/code_reliefs.h"
#include "platform/base/nearest.h"
#include "platform/elab/platform.h"
#include "platform/record/activity_recorder.h"
#include "sim/analysis/findings/findings.h"
#include "sim/analysis/findings/operation_costs.h"
#include "sim/run/driver/data_model.h"
#include "sim/run/driver/host_time_limit.h"
#include "sim/run/driver/interrupt.h"
#include "sim/run/driver/platform_options.h"
#include "sim/run/driver/progress.h"
#include "sim/run/driver/run_end.h"
#include "sim/run/driver/systemc_setup.h"
#include "sim/run/driver/wave_recording.h"
#include "sim/run/host/host_port.h"

namespace kb::sim {
namespace {

// Converts an error of the program that occurs outside its own threads (for example a strict read) to a failure of the
// run.
std::optional<Error> program_error_of(const std::function<void()>& step) {
  try {
    step();
  } catch (const Error& error) {
    if (error.family() != ErrorFamily::program) throw;
    return error;
  }
  return std::nullopt;
}

// Calls are not known where no kernel ran.
std::string unused_relief(const std::string& name, const SimulationOptions& options) {
  const account::PlaceTable& places = options.recorder->places();
  std::vector<std::string> known;
  for (std::uint32_t i = 1; i < places.sites(); ++i) {
    const account::Place& site = places[account::SiteId{i}];
    known.push_back(name.find(':') == std::string::npos
                        ? places[site.tensor]
                        : SourcePlace{places[site.file], site.line, "", "", ""}.position());
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  known.erase(std::remove(known.begin(), known.end(), ""), known.end());
  return "--relief: '" + name + "' changed nothing, because no call of a kernel has it; " + suggest(name, known);
}

}  // namespace

SimulationResult simulate(const topology::LoadedTopology& topology, const SimulationOptions& options,
                          const HostProgram& program) {
  prepare_systemc();
  ProgressLine progress(options.progress);
  progress.stage("building the machine");
  DataModel data(topology.graph, options);
  std::optional<WaveRecording> waves;
  if (options.waves.file != nullptr) waves.emplace(options.waves);
  SystemcRun systemc(options.log);
  // Never destroyed: SystemC searches a list for every port of a destroyed module, which takes longer than the
  // simulation for a large machine, and the process ends soon.
  elab::Platform& platform = *new elab::Platform("platform", topology.graph, modules::registry_with(options.blocks),
                                                 platform_options(options, data, waves ? &*waves : nullptr));
  auto& reliefs = platform.context().shared<modules::CodeReliefs>();
  reliefs.no_wait = options.reliefs.no_wait;
  reliefs.copies = options.reliefs.copies;
  for (const Reliefs::Work& work : options.reliefs.work) reliefs.work.push_back({work.pes, work.share});
  HostPortOptions host_options;
  host_options.copies_take_time = !options.reliefs.host_copies;
  host_options.data_mode = options.data_mode;
  host_options.read_memory = [&data](std::uint64_t pa, std::uint64_t nbytes) { return data.read_if_known(pa, nbytes); };
  HostPort host(platform, host_options);
  host.run_main(program);
  if (options.time_limit) platform.scheduler().set_time_limit(*options.time_limit);
  if (options.host_time_limit != nullptr) options.host_time_limit->watch(platform.scheduler());
  const auto poll = [&] {
    const elab::EventScheduler& scheduler = platform.scheduler();
    if (waves && waves->poll(scheduler.now())) return true;
    if (scheduler.events() % elab::EventScheduler::kPolled != 0 || !progress.due()) return false;
    progress.update({scheduler.now(), scheduler.events(), host.finished_launches(), host.launches().size(), "launches",
                     options.time_limit});
    return false;
  };
  platform.scheduler().set_poll(poll, waves ? WaveRecording::kPolled : elab::EventScheduler::kPolled);
  progress.stage(nullptr);
  std::optional<Error> early = program_error_of([&] { systemc.start(); });
  if (waves) waves->check_filters();
  if (waves) set_keeper(&*waves);
  if (!early) early = program_error_of([&] { systemc.run(); });
  if (interrupted()) end_interrupted();
  set_keeper(nullptr);
  progress.stage("computing the data");
  if (options.host_time_limit != nullptr && platform.scheduler().end_requested()) {
    options.host_time_limit->acknowledge();
  }

  SimulationResult result;
  result.failure = early ? early : find_failure(platform, host, options.host_time_limit);
  result.sim_time = platform.scheduler().now();
  result.events = platform.scheduler().events();
  const bool passed = !platform.scheduler().passed_end().empty();
  if (!early && result.failure && (passed || result.failure->family() == ErrorFamily::no_progress)) {
    end_without_progress(platform, host, result.failure);
  }
  platform.conclude();
  std::vector<std::string> wave_warnings;
  if (waves) waves->finish(result.sim_time, wave_warnings);
  if (options.recorder != nullptr) {
    const bool in_log = options.oplog != nullptr;
    in_log ? options.recorder->finish(result.sim_time)
           : options.recorder->finish(result.sim_time, time_of_causes(host.launches(), options.costs));
  }
  if (result.failure) {
    data.finish_log();
  } else {
    result.failure = program_error_of([&] { data.finish(); });
  }
  result.unknown_accesses = data.unknown_accesses();
  result.requests = host.requests();
  result.launches = host.take_launches();
  if (waves) waves->write_save_file(launch_spans(result.launches, result.sim_time), result.sim_time, topology.graph);
  result.warnings = systemc.warnings();
  result.warnings.insert(result.warnings.end(), wave_warnings.begin(), wave_warnings.end());
  for (std::string& text :
       data.unwritten_warnings(options.recorder == nullptr ? nullptr : &options.recorder->places())) {
    result.warnings.push_back(std::move(text));
  }
  if (!result.failure) {
    warn_of_unconsumed(platform, result.warnings);
    for (const std::string& name : reliefs.unused()) result.warnings.push_back(unused_relief(name, options));
    for (const std::string& pes : reliefs.unused_work()) {
      result.warnings.push_back("--relief: work of '" + pes +
                                "' changed nothing, because no PE of that name ran a kernel");
    }
  }
  result.blocks = collect_statistics(platform);
  result.resources = platform.resources().uses();
  result.undeclared = undeclared_blocks(platform);
  return result;
}

}  // namespace kb::sim
