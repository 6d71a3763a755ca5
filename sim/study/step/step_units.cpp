#include "sim/study/step/step_units.h"

#include <memory>

#include "platform/base/error.h"
#include "sim/run/driver/event_counter.h"
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

// The coefficients that these counts need.
Events with_declared(const sim::EventCounts& counts, const sim::LaunchEvents& run) {
  Events events{counts, {}};
  for (const auto& [key, coefficient] : run.declared) {
    if (counts.count(key) > 0) events.declared.emplace(key, coefficient);
  }
  return events;
}

}  // namespace

std::optional<Events> ProgramRun::events_of(const std::vector<contract::RequestId>& requests) const {
  if (!events) return std::nullopt;
  Events out;
  for (const contract::RequestId request : requests) {
    const auto found = events->launches.find(request);
    if (found != events->launches.end()) out.add(with_declared(found->second, *events));
  }
  return out;
}

ProgramRun run_program(const topology::LoadedTopology& machine, const Catalogs& catalogs, contract::DataMode data,
                       const std::function<void(sw::Runtime&)>& program, sim::Progress progress) {
  sim::SimulationOptions options;
  options.progress = progress;
  options.data_mode = data;
  options.kernels = catalogs.kernels;
  options.blocks = catalogs.blocks;
  sim::EventCounter counter(machine.graph);
  counter.observe(options);
  const sim::SimulationResult result = sim::simulate(machine, options, [&](contract::IHost& host) {
    sw::RuntimeOptions runtime_options;
    runtime_options.all_reduces = catalogs.all_reduces;
    sw::Runtime runtime(host, catalogs.kernels, runtime_options);
    program(runtime);
  });
  if (result.failure) throw Error(*result.failure);
  return {result.sim_time, counter.events(result)};
}

std::vector<Answer> simulate_launches(const topology::LoadedTopology& one, const Catalogs& catalogs,
                                      const sw::Program& program, const std::vector<sw::LaunchOnRank>& wanted) {
  std::vector<sw::LaunchSpan> spans;
  const ProgramRun run = run_program(one, catalogs, kNoData,
                                     [&](sw::Runtime& runtime) { spans = sw::run_launches(runtime, program, wanted); });
  std::vector<Answer> answers;
  for (const sw::LaunchSpan& span : spans) answers.push_back({{time_of(span)}, run.events_of(span.requests)});
  return answers;
}

Answer simulate_sum(const topology::LoadedTopology& all, const Catalogs& catalogs, const sw::Program& program,
                    std::size_t launch, const std::vector<TimeFs>& offsets) {
  std::vector<sw::LaunchSpan> spans;
  const ProgramRun run = run_program(all, catalogs, kNoData, [&](sw::Runtime& runtime) {
    sw::ProcessGroup group(runtime);
    spans = sw::run_sum(runtime, group, program, launch, offsets);
  });
  Answer answer;
  std::vector<contract::RequestId> requests;
  for (std::size_t rank = 0; rank < spans.size(); ++rank) {
    answer.times.push_back(offsets[rank] + time_of(spans[rank]));
    requests.insert(requests.end(), spans[rank].requests.begin(), spans[rank].requests.end());
  }
  answer.events = run.events_of(requests);
  return answer;
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

std::vector<Answer> simulate_step(const topology::LoadedTopology& all, const Catalogs& catalogs,
                                  const sw::Program& program, sim::Progress progress) {
  std::vector<std::vector<sw::LaunchSpan>> spans;
  const auto all_launches = [&](sw::Runtime& runtime) {
    std::unique_ptr<sw::ProcessGroup> group;
    if (program.ranks > 1) group = std::make_unique<sw::ProcessGroup>(runtime);
    spans = sw::run_step(runtime, group.get(), program);
  };
  const ProgramRun run = run_program(all, catalogs, kNoData, all_launches, progress);
  std::vector<Answer> answers{{{run.time}, std::nullopt}};
  if (run.events) answers.front().events = with_declared(run.events->nobodys, *run.events);
  for (std::size_t at = 0; at < program.launches.size(); ++at) {
    Answer& answer = answers.emplace_back();
    std::vector<contract::RequestId> requests;
    for (const std::vector<sw::LaunchSpan>& on_rank : spans) {
      const sw::LaunchSpan& span = on_rank[at];
      answer.times.insert(answer.times.end(), {span.start, span.end});
      requests.insert(requests.end(), span.requests.begin(), span.requests.end());
    }
    answer.events = run.events_of(requests);
  }
  return answers;
}

}  // namespace kb::step
