#include "sim/study/why/simulations.h"

#include <set>
#include <utility>

#include "platform/topology/sha256.h"
#include "sim/study/sweep/engine.h"
#include "sim/study/why/machine_use.h"

namespace kb::why {
namespace {

struct Over {};  // ends the points that run

Measure not_run() {
  Measure measure;
  measure.code = kOutOfBudget;
  measure.cause = "not run: the budget was spent";
  return measure;
}

}  // namespace

Measure simulate_point(const Repeat& repeat, const Request& request) {
  sim::WorkloadRun run = repeat.run_of(request.point);
  run.record = request.account || run.options.reliefs.needs_lines();
  const sim::WorkloadOutcome outcome = sim::run_workload(run);
  return measure_of(outcome.record, run.topology.graph, request.account);
}

std::string Simulations::journal_folder(const std::string& run_folder) {
  return run_folder + "/why/journal";
}

Simulations::Simulations(const Repeat& repeat, int jobs, std::optional<Clock::time_point> end,
                         std::function<void(std::size_t)> told)
    : repeat_(repeat),
      jobs_(jobs),
      end_(end),
      told_(std::move(told)),
      identity_(topology::sha256_hex(repeat.identity())),
      journal_(journal_folder(repeat.folder())),
      known_(sweep::Journal::read(journal_folder(repeat.folder()))) {}

std::string Simulations::key_of(const Request& request) const {
  const std::string options = options_of(request.point, repeat_.replacements(), "");
  return topology::sha256_hex(identity_ + "\n" + options + (request.account ? "\naccount" : "")).substr(0, 24);
}

std::vector<Measure> Simulations::measure(const std::vector<Request>& requests) {
  std::vector<std::string> keys;
  for (const Request& request : requests) keys.push_back(key_of(request));
  run_missing(requests, keys);
  std::vector<Measure> measures;
  for (const std::string& key : keys) {
    const auto found = known_.find(key);
    measures.push_back(found == known_.end() ? not_run() : measure_of(found->second));
  }
  return measures;
}

void Simulations::run_missing(const std::vector<Request>& requests, const std::vector<std::string>& keys) {
  std::vector<std::uint64_t> points;
  std::set<std::string> wanted;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (known_.count(keys[i]) == 0 && wanted.insert(keys[i]).second) points.push_back(i);
  }
  sweep::EngineWork work;
  work.run = [&](std::uint64_t point) { return answer_of(simulate_point(repeat_, requests[point])); };
  work.finished = [&](std::uint64_t point, const sweep::Answer& answer) {
    journal_.append(keys[point], answer);
    known_[keys[point]] = answer;
    ++ran_;
  };
  work.tick = [&] {
    if (told_) told_(ran_);
    if (is_over()) throw Over();
  };
  if (points.empty() || is_over()) return;
  try {
    sweep::run_points(points, work, {}, jobs_);
  } catch (const Over&) {  // the points that have ended are kept
  }
}

}  // namespace kb::why
