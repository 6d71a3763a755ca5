#include "sim/analysis/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "platform/base/names.h"
#include "platform/contract/share_words.h"
#include "sim/analysis/compare/comparison_causes.h"
#include "sim/analysis/compare/comparison_energy.h"
#include "sim/analysis/compare/comparison_lines.h"
#include "sim/result/launch_parts.h"
#include "sim/result/read.h"

namespace kb::sim {
namespace {

using result::Launch;
using result::Result;

// All settings by name.
std::map<std::string, std::string> settings_of(const Result& result) {
  std::map<std::string, std::string> all = {{"version", result.setup.version},
                                            {"device", result.device},
                                            {"seed", std::to_string(result.seed)},
                                            {"data_mode", result.data_mode},
                                            {"workload", result.setup.bench.name}};
  for (const auto& [name, value] : result.setup.bench.params) all[name + " of the workload"] = value.value.text;
  for (const auto& [key, value] : result.setup.config) all[key] = value.value.text;
  return all;
}

std::vector<SettingDifference> differences(const Result& before, const Result& after) {
  const std::map<std::string, std::string> a = settings_of(before), b = settings_of(after);
  std::set<std::string> names;
  for (const auto& entry : a) names.insert(entry.first);
  for (const auto& entry : b) names.insert(entry.first);
  std::vector<SettingDifference> list;
  for (const std::string& name : names) {
    const auto left = a.find(name), right = b.find(name);
    const std::string x = left == a.end() ? "" : left->second, y = right == b.end() ? "" : right->second;
    if (x != y) list.push_back({name, x, y});
  }
  return list;
}

using LaunchKey = std::tuple<std::string, std::uint64_t, std::uint64_t>;  // kernel, SIP, ordinal

LaunchKey key_of(const Launch& launch) {
  return {launch.kernel, launch.sip, launch.ordinal};
}

std::map<LaunchKey, const Launch*> launches_of(const Result& result) {
  std::map<LaunchKey, const Launch*> all;
  for (const Launch& launch : result.launches) all[key_of(launch)] = &launch;
  return all;
}

// True when the file lists all launches.
bool lists_all(const Result& result) {
  return result.launches.size() == result.launch_count;
}

// Sums by name, in the order of first appearance.
class Sums {
 public:
  void add(const std::string& name, const std::string& unit, double before, double after) {
    const auto [at, is_new] = places_.emplace(name, list_.size());
    if (is_new) list_.push_back({name, unit, 0, 0});
    list_[at->second].before += before;
    list_[at->second].after += after;
  }
  std::vector<Change> take() { return std::move(list_); }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<Change> list_;
};

void add_parts(Sums& sums, const result::PartTimes& before, const result::PartTimes& after) {
  for (const std::size_t i : launch_part_indices()) {
    sums.add(std::string(launch_part(i).name), "ns", fs_to_ns(before.time[i]), fs_to_ns(after.time[i]));
  }
}

void add_busy(Sums& sums, const result::ResourceTimes& before, const result::ResourceTimes& after) {
  for (std::size_t i = 0; i < contract::kPeResources; ++i) {
    const DisplayText& word = word_of(static_cast<contract::PeResource>(i));
    sums.add(std::string(word.name), "ns", fs_to_ns(before.time[i]), fs_to_ns(after.time[i]));
  }
}

LaunchPair pair_of(const Launch& before, const Launch& after) {
  LaunchPair pair;
  pair.kernel = before.kernel;
  pair.label = after.label;
  pair.sip = static_cast<std::int64_t>(before.sip);
  pair.before_id = static_cast<std::int64_t>(before.id);
  pair.after_id = static_cast<std::int64_t>(after.id);
  pair.before_ns = fs_to_ns(before.time());
  pair.after_ns = fs_to_ns(after.time());
  if (!before.breakdown || !after.breakdown) return pair;
  pair.before_limiter = before.breakdown->limiter.value_or("");
  pair.after_limiter = after.breakdown->limiter.value_or("");
  return pair;
}

// Lists launches that only one of the runs has. Launches that a file does not list may exist nevertheless.
void name_alone(Comparison& comparison, const Result& result, const std::map<LaunchKey, const Launch*>& others,
                const Result& other, const std::string& file) {
  if (!lists_all(other)) return;
  for (const Launch& launch : result.launches) {
    if (others.count(key_of(launch)) > 0) continue;
    comparison.alone.push_back(
        fmt::format("launch {} ({}) only in {}", launch.id, launch_name(launch.kernel, launch.label), file));
  }
}

void pair_launches(Comparison& comparison, const Result& before, const Result& after) {
  const auto a = launches_of(before), b = launches_of(after);
  Sums parts, busy;
  for (const Launch& left : before.launches) {
    const auto found = b.find(key_of(left));
    if (found == b.end()) continue;
    const Launch& right = *found->second;
    LaunchPair pair = pair_of(left, right);
    if (left.breakdown && right.breakdown) {
      add_parts(parts, left.breakdown->parts, right.breakdown->parts);
      add_busy(busy, left.breakdown->busy, right.breakdown->busy);
    }
    comparison.total.before += pair.before_ns;
    comparison.total.after += pair.after_ns;
    comparison.launches.push_back(std::move(pair));
  }
  name_alone(comparison, before, b, after, comparison.before);
  name_alone(comparison, after, a, before, comparison.after);
  comparison.parts = parts.take();
  comparison.busy = busy.take();
}

// Compares sums over all launches of each kernel, including those that the files do not list.
void add_kernels(Comparison& comparison, const Result& before, const Result& after) {
  Sums kernels;
  for (const result::Kernel& kernel : before.kernels) kernels.add(kernel.kernel, "ns", fs_to_ns(kernel.time), 0);
  for (const result::Kernel& kernel : after.kernels) kernels.add(kernel.kernel, "ns", 0, fs_to_ns(kernel.time));
  comparison.kernels = kernels.take();
}

void add_figures(Comparison& comparison, const Result& before, const Result& after) {
  for (const result::Figure& figure : before.figures) {
    const auto other = std::find_if(after.figures.begin(), after.figures.end(),
                                    [&](const result::Figure& one) { return one.name == figure.name; });
    if (other == after.figures.end() || !std::isfinite(figure.value) || !std::isfinite(other->value)) continue;
    comparison.figures.push_back({figure.name, figure.unit, figure.value, other->value});
  }
}

// Compares busy and waiting times of the kinds of blocks.
void add_blocks(Comparison& comparison, const Result& before, const Result& after) {
  Sums times;
  for (const auto* result : {&before, &after}) {
    for (const auto& [kind, block] : result->block_kinds) {
      for (const auto& [name, statistic] : block.statistics) {
        if (statistic.unit != "ns") continue;
        const double sum = fs_to_ns(TimeFs(statistic.sum));
        times.add(kind + " " + name, "ns", result == &before ? sum : 0, result == &after ? sum : 0);
      }
    }
  }
  for (Change& change : times.take()) {
    if (change.before != change.after) comparison.blocks.push_back(std::move(change));
  }
  std::stable_sort(comparison.blocks.begin(), comparison.blocks.end(), [](const Change& x, const Change& y) {
    return std::abs(x.difference()) > std::abs(y.difference());
  });
}

}  // namespace

Comparison compare_results(const std::string& before, const std::string& after) {
  Comparison comparison;
  comparison.before = result::file_of(before);
  comparison.after = result::file_of(after);
  const Result a = result::read(before), b = result::read(after);
  comparison.total = {"submission to completion", "ns", 0, 0};
  for (const auto& [file, result] : {std::pair(&comparison.before, &a), std::pair(&comparison.after, &b)}) {
    if (result->ok) continue;
    comparison.failures.push_back(fmt::format("{} failed, so its times are not those of the whole work: {}", *file,
                                              result->error ? result->error->message : "no reason given"));
  }
  comparison.settings = differences(a, b);
  comparison.listed_only = !lists_all(a) || !lists_all(b);
  pair_launches(comparison, a, b);
  add_kernels(comparison, a, b);
  add_figures(comparison, a, b);
  add_blocks(comparison, a, b);
  comparison.lines = line_changes(a, b);
  comparison.ranges = range_changes(a, b);
  comparison.causes = causes_of(a, b);
  comparison.energy = compare_energy(a, b);
  return comparison;
}

}  // namespace kb::sim
