#include "sim/study/step/step_sample.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace kb::step {
namespace {

// The launches of a program that are simulated, and their numbers in it.
struct Part {
  sw::Program program;
  std::vector<std::size_t> numbers;
};

Part part_of(const sw::Program& program, const std::vector<std::int64_t>& layers) {
  Part part{program, {}};
  part.program.launches.clear();
  for (std::size_t at = 0; at < program.launches.size(); ++at) {
    const std::int64_t layer = program.launches[at].layer;
    if (layer >= 0 && !std::binary_search(layers.begin(), layers.end(), layer)) continue;
    part.program.launches.push_back(program.launches[at]);
    part.numbers.push_back(at);
  }
  return part;
}

// Time of a launch, and of the gap before it.
struct Piece {
  TimeFs gap = 0_fs, time = 0_fs;
};

struct Mean {
  Piece sum;
  std::int64_t count = 0;

  void add(const Piece& piece) {
    sum.gap += piece.gap;
    sum.time += piece.time;
    ++count;
  }
  Piece value() const { return {sum.gap / count, sum.time / count}; }
};

// Rounded down.
Events mean_of(const std::vector<const Events*>& all) {
  Events mean;
  for (const Events* const one : all) mean.add(*one);
  for (auto& [key, count] : mean.counts) count /= all.size();
  return mean;
}

// The spans of all launches on a SIP, out of those that were simulated.
std::vector<Span> fill(const sw::Program& program, const Part& part, const std::vector<Span>& simulated,
                       bool counts_first) {
  std::map<std::size_t, Piece> known;
  std::map<std::string, Mean> means;
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    const TimeFs before = i == 0 ? 0_fs : simulated[i - 1].end;
    const Piece piece{simulated[i].start - before, simulated[i].end - simulated[i].start};
    const sw::ProgramLaunch& launch = program.launches[part.numbers[i]];
    known[part.numbers[i]] = piece;
    if (launch.layer > 0 || (launch.layer == 0 && counts_first)) means[launch.name].add(piece);
  }
  std::vector<Span> spans;
  TimeFs end = 0_fs;
  for (std::size_t at = 0; at < program.launches.size(); ++at) {
    const auto found = known.find(at);
    const Piece piece = found != known.end() ? found->second : means.at(program.launches[at].name).value();
    const TimeFs start = end + piece.gap;
    end = start + piece.time;
    spans.push_back({start, end});
  }
  return spans;
}

// Events of all launches: those of other layers have the mean of those of their name.
std::vector<Events> fill(const sw::Program& program, const Part& part, const std::vector<Events>& simulated) {
  std::map<std::size_t, const Events*> known;
  std::map<std::string, std::vector<const Events*>> of_name;
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    known[part.numbers[i]] = &simulated[i];
    of_name[program.launches[part.numbers[i]].name].push_back(&simulated[i]);
  }
  std::vector<Events> out;
  for (std::size_t at = 0; at < program.launches.size(); ++at) {
    const auto found = known.find(at);
    out.push_back(found != known.end() ? *found->second : mean_of(of_name.at(program.launches[at].name)));
  }
  return out;
}

}  // namespace

std::vector<std::int64_t> sampled_layers(std::int64_t layers, std::size_t count) {
  const auto wanted = std::min(layers, static_cast<std::int64_t>(count));
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < wanted; ++i) out.push_back(wanted == 1 ? 0 : i * (layers - 1) / (wanted - 1));
  return out;
}

SampledTimes simulate_sample(const StepRun& run, std::size_t count) {
  std::int64_t layers = 0;
  for (const sw::ProgramLaunch& launch : run.program.launches) layers = std::max(layers, launch.layer + 1);
  const std::vector<std::int64_t> sample = sampled_layers(layers, count);
  const Part part = part_of(run.program, sample);
  const StepRun some{part.program, run.machines, run.keys, run.catalogs, run.jobs, 0, {}, {}, run.progress};
  SampledTimes out{simulate_whole_step(some), {sample.size(), static_cast<std::size_t>(layers), kNever, 0_fs, 0_fs}};
  const std::vector<Span>& slowest = out.times.launches[out.times.slowest()];
  std::map<std::int64_t, Span> by_layer;
  for (std::size_t i = 0; i < slowest.size(); ++i) {
    const std::int64_t layer = part.program.launches[i].layer;
    by_layer.emplace(layer, slowest[i]).first->second.end = slowest[i].end;
  }
  const bool counts_first = sample.size() == 1;
  TimeFs all = 0_fs;
  for (const std::int64_t layer : sample) {
    if (layer == 0 && !counts_first) continue;
    const TimeFs time = by_layer.at(layer).end - by_layer.at(layer).start;
    out.sample.least = std::min(out.sample.least, time);
    out.sample.most = std::max(out.sample.most, time);
    all += time;
  }
  out.sample.mean = all / static_cast<std::int64_t>(counts_first ? 1 : sample.size() - 1);
  for (std::vector<Span>& spans : out.times.launches) spans = fill(run.program, part, spans, counts_first);
  if (out.times.events) out.times.events->launches = fill(run.program, part, out.times.events->launches);
  return out;
}

}  // namespace kb::step
