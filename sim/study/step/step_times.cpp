#include "sim/study/step/step_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <thread>
#include <utility>

#include "platform/base/error.h"
#include "sim/study/process/isolate.h"

namespace kb::step {
namespace {

Answer in_a_process(const std::function<Answer()>& simulation) {
  return answers_of(sim::run_isolated({[&] { return answers_text({simulation()}); }}).at(0)).at(0);
}

TimeFs time_in_a_process(const std::function<TimeFs()>& simulation) {
  return in_a_process([&] { return Answer{{simulation()}, std::nullopt}; }).times.at(0);
}

constexpr const char* kSumSubject = "sum over SIPs";
constexpr double kMostWork = 1e9;   // of a process, in bytes: some seconds
constexpr double kLeastWork = 1e6;  // of a launch

class Composer {
 public:
  Composer(const StepRun& run, Memo& memo)
      : run_(run), memo_(memo), counts_events_(run.machines.one.graph.spec.energy.has_value()) {
    if (counts_events_) times_.events.emplace().launches.resize(launches().size());
    for (std::size_t at = 0; at < launches().size(); ++at) {
      std::vector<std::string>& keys = keys_.emplace_back();
      if (launches()[at].is_sum()) continue;
      for (std::int64_t rank = 0; rank < run.program.ranks; ++rank) {
        keys.push_back(rank > 0 && !launches()[at].depends_on_rank() ? keys[0] : run.keys.launch(at, rank));
      }
    }
  }

  StepTimes compose() {
    simulate_missing();
    times_.gap = figure("gap", run_.keys.figure("gap"), [&] { return simulate_gap(run_.machines.one, run_.catalogs); });
    times_.host = figure("host turn", run_.keys.host_turn(),
                         [&] { return simulate_host_turn(run_.machines.one, run_.catalogs, run_.program); });
    const auto ranks = static_cast<std::size_t>(run_.program.ranks);
    times_.launches.resize(ranks);
    std::vector<TimeFs> next(ranks);
    for (std::size_t at = 0; at < launches().size(); ++at) {
      launches()[at].is_sum() ? add_sum(at, next) : add_launch(at, next);
      for (TimeFs& time : next) time += times_.gap;
    }
    times_.looked_up = launches().size() * ranks - std::min(launches().size() * ranks, own_);
    check_hits();
    return std::move(times_);
  }

 private:
  struct SumPattern {
    std::vector<TimeFs> offsets;  // by SIP
    Answer answer;
  };
  struct Wanted {
    std::string key;
    sw::LaunchOnRank launch;
  };

  const std::vector<sw::ProgramLaunch>& launches() const { return run_.program.launches; }

  // Launches that stay in a SIP need nothing of each other: processes simulate them side by side.
  void simulate_missing() {
    std::set<std::string> seen;
    std::vector<Wanted> missing;
    for (std::size_t at = 0; at < launches().size(); ++at) {
      for (std::size_t rank = 0; rank < keys_[at].size(); ++rank) {
        const Wanted one{keys_[at][rank], {at, static_cast<std::int64_t>(rank)}};
        const bool known = !seen.insert(one.key).second || find(one.key) != nullptr;
        (known ? hits_ : missing).push_back(one);
      }
    }
    simulate(missing, [&](const Wanted& one, Answer answer) {
      memo_.add(one.key, std::move(answer), launches()[one.launch.launch].kernel);
    });
    own_ += missing.size();
  }

  // Null when events are wanted and not known.
  const Answer* find(const std::string& key) const {
    const Answer* const known = memo_.find(key);
    return known == nullptr || (counts_events_ && !known->events) ? nullptr : known;
  }

  // Calls `take` with each answer as soon as its process has ended, so that a store keeps it.
  void simulate(const std::vector<Wanted>& wanted, const std::function<void(const Wanted&, Answer)>& take) {
    const std::vector<std::vector<std::size_t>> batches = batches_of(wanted);
    std::vector<std::function<std::string()>> jobs;
    for (const std::vector<std::size_t>& batch : batches) {
      jobs.emplace_back([&] {
        std::vector<sw::LaunchOnRank> launches;
        for (const std::size_t i : batch) launches.push_back(wanted[i].launch);
        return answers_text(simulate_launches(run_.machines.one, run_.catalogs, run_.program, launches));
      });
    }
    sim::IsolatedRun run;
    run.at_once = static_cast<int>(cores());
    run.on_result = [&](std::size_t job, const std::string& text) {
      std::vector<Answer> answers = answers_of(text);
      for (std::size_t i = 0; i < batches[job].size(); ++i) take(wanted[batches[job][i]], std::move(answers.at(i)));
      report_progress(batches[job].size());
    };
    sim::run_isolated(jobs, run);
    times_.simulated += wanted.size();
  }

  std::size_t cores() const {
    return run_.jobs > 0 ? static_cast<std::size_t>(run_.jobs)
                         : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  }

  // One batch per core, or more where they would take many seconds. The longest launches come first.
  std::vector<std::vector<std::size_t>> batches_of(const std::vector<Wanted>& wanted) const {
    std::vector<double> works;
    double all = 0;
    for (const Wanted& one : wanted) all += works.emplace_back(work_of(launches()[one.launch.launch]));
    std::vector<std::size_t> order(wanted.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return works[a] > works[b]; });
    const double most = std::min(kMostWork, all / static_cast<double>(cores()));
    std::vector<std::vector<std::size_t>> batches;
    double work = most;
    for (const std::size_t i : order) {
      if (work >= most) {
        batches.emplace_back();
        work = 0;
      }
      batches.back().push_back(i);
      work += works[i];
    }
    return batches;
  }

  // About proportional to the time that the simulation takes: bytes of weights and caches for every 64 rows, and of all
  // other tensors.
  double work_of(const sw::ProgramLaunch& launch) const {
    double kept = 0, others = 0, rows = 1;
    for (const sw::ProgramArg& arg : launch.args) {
      const auto* const ref = std::get_if<sw::TensorRef>(&arg.value);
      if (ref == nullptr) continue;
      const sw::ProgramTensor& tensor = run_.program.tensors[ref->index];
      const double bytes =
          static_cast<double>(element_count(tensor.shape)) * static_cast<double>(item_size(tensor.dtype));
      (tensor.persists() ? kept : others) += bytes;
      if (arg.name == "y") rows = static_cast<double>(tensor.shape.front());
    }
    return kLeastWork + kept * std::max(1.0, rows / 64) + others;
  }

  void report_progress(std::size_t launches) {
    progress_ += launches;
    if (run_.on_progress) run_.on_progress(progress_);
  }

  TimeFs figure(const char* name, const std::string& key, const std::function<TimeFs()>& simulation) {
    if (const Answer* const known = memo_.find(key)) return known->times.at(0);
    const TimeFs found = time_in_a_process(simulation);
    memo_.add(key, {{found}, std::nullopt}, name);
    return found;
  }

  // `next`: when the launch begins, by SIP; afterwards when it has ended.
  void add_launch(std::size_t at, std::vector<TimeFs>& next) {
    for (std::size_t rank = 0; rank < next.size(); ++rank) {
      const Answer& answer = *find(keys_[at][rank]);
      const TimeFs time = answer.times.at(0);
      add_events(at, answer);
      times_.launches[rank].push_back({next[rank], next[rank] + time});
      next[rank] += time;
    }
  }

  void add_events(std::size_t at, const Answer& answer) {
    if (counts_events_) times_.events->launches[at].add(*answer.events);
  }

  void add_sum(std::size_t at, std::vector<TimeFs>& next) {
    const TimeFs first = *std::min_element(next.begin(), next.end());
    std::vector<TimeFs> offsets;
    for (const TimeFs time : next) offsets.push_back(time - first);
    const std::string key = run_.keys.sum(at, offsets);
    std::vector<SumPattern>& patterns = sums_[run_.keys.sum(at, {})];
    const Answer* answer = find(key);
    if (answer == nullptr && patterns.size() >= most_sums(at)) answer = nearest(patterns, offsets);
    if (answer == nullptr) {
      Answer found =
          in_a_process([&] { return simulate_sum(run_.machines.all, run_.catalogs, run_.program, at, offsets); });
      memo_.add(key, std::move(found), kSumSubject);
      answer = memo_.find(key);
      times_.simulated += 1;
      report_progress(1);
      own_ += next.size();
      patterns.push_back({offsets, *answer});
    }
    add_events(at, *answer);
    for (std::size_t rank = 0; rank < next.size(); ++rank) {
      const TimeFs end = first + answer->times.at(rank);
      times_.launches[rank].push_back({next[rank], end});
      next[rank] = end;
    }
  }

  // SIPs leave a sum some ns apart, so that the next one begins otherwise, and so on. Short sums soon repeat; of long
  // ones few are simulated, because each takes seconds.
  std::size_t most_sums(std::size_t at) const {
    if (run_.most_sums) return *run_.most_sums == 0 ? launches().size() : *run_.most_sums;
    constexpr std::uint64_t kBytes = 8 << 20, kFewest = 2, kMost = 64;
    const auto& tensor = run_.program.tensors[std::get<sw::TensorRef>(launches()[at].args.at(0).value).index];
    const std::uint64_t bytes = static_cast<std::uint64_t>(element_count(tensor.shape)) * item_size(tensor.dtype);
    return std::clamp(kBytes / std::max<std::uint64_t>(1, bytes), kFewest, kMost);
  }

  const Answer* nearest(const std::vector<SumPattern>& patterns, const std::vector<TimeFs>& offsets) {
    const SumPattern* best = nullptr;
    TimeFs least = kNever;
    for (const SumPattern& one : patterns) {
      TimeFs distance = 0_fs;
      for (std::size_t rank = 0; rank < offsets.size(); ++rank) {
        distance = std::max({distance, one.offsets[rank] - offsets[rank], offsets[rank] - one.offsets[rank]});
      }
      if (distance < least) {
        least = distance;
        best = &one;
      }
    }
    ++times_.likened;
    times_.unlike = std::max(times_.unlike, least);
    return &best->answer;
  }

  // Simulates some keys again, spread evenly over the step.
  void check_hits() {
    const std::size_t count = std::min(run_.check, hits_.size());
    std::vector<Wanted> wanted;
    for (std::size_t i = 0; i < count; ++i) wanted.push_back(hits_[i * hits_.size() / count]);
    simulate(wanted, [&](const Wanted& one, const Answer& again) {
      const Answer& known = *find(one.key);
      ++times_.checked;
      const sw::ProgramLaunch& launch = launches()[one.launch.launch];
      const TimeFs time = again.times.at(0);
      if (time != known.times.at(0)) {
        throw Error::model(fmt::format("launch '{}' of layer {} takes {} fs, but {} fs are known for its key {}",
                                       launch.name, launch.layer, time.fs(), known.times.at(0).fs(), one.key));
      }
      if (again.events && *again.events != *known.events) {
        throw Error::model(fmt::format("launch '{}' of layer {} causes other events than are known for its key {}",
                                       launch.name, launch.layer, one.key));
      }
    });
  }

  const StepRun& run_;
  Memo& memo_;
  bool counts_events_;  // the machine has coefficients of energy
  StepTimes times_;
  std::vector<std::vector<std::string>> keys_;           // by launch and SIP; none for sums
  std::map<std::string, std::vector<SumPattern>> sums_;  // by tensor
  std::vector<Wanted> hits_;
  std::size_t progress_ = 0;  // launches that have been simulated
  std::size_t own_ = 0;       // launches of all SIPs that were simulated for this step
};

}  // namespace

TimeFs StepTimes::span() const {
  return launches.at(slowest()).back().end;
}

std::size_t StepTimes::slowest() const {
  std::size_t slowest = 0;
  for (std::size_t rank = 1; rank < launches.size(); ++rank) {
    if (launches[rank].back().end > launches[slowest].back().end) slowest = rank;
  }
  return slowest;
}

StepTimes compose_step(const StepRun& run, Memo& memo) {
  return Composer(run, memo).compose();
}

StepTimes simulate_whole_step(const StepRun& run) {
  std::vector<Answer> answers =
      answers_of(sim::run_isolated({[&] {
                   return answers_text(simulate_step(run.machines.all, run.catalogs, run.program, run.progress));
                 }}).at(0));
  const std::size_t count = run.program.launches.size();
  const auto launch = answers.begin() + 1;
  TimeFs first = launch->times.at(0);
  StepTimes times;
  times.launches.resize(static_cast<std::size_t>(run.program.ranks));
  for (std::size_t rank = 0; rank < times.launches.size(); ++rank) first = std::min(first, launch->times.at(2 * rank));
  for (std::size_t rank = 0; rank < times.launches.size(); ++rank) {
    for (std::size_t at = 0; at < count; ++at) {
      const std::vector<TimeFs>& of_launch = launch[static_cast<std::ptrdiff_t>(at)].times;
      times.launches[rank].push_back({of_launch.at(2 * rank) - first, of_launch.at(2 * rank + 1) - first});
    }
  }
  if (answers.front().events) {
    StepEvents& events = times.events.emplace();
    for (std::size_t at = 0; at < count; ++at) events.launches.push_back(std::move(*answers[at + 1].events));
    events.run = std::move(answers.front());
  }
  times.simulated = count * times.launches.size();
  times.gap = time_in_a_process([&] { return simulate_gap(run.machines.one, run.catalogs); });
  times.host = time_in_a_process([&] { return simulate_host_turn(run.machines.one, run.catalogs, run.program); });
  return times;
}

}  // namespace kb::step
