#include "sim/analysis/compare/comparison_causes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "platform/base/units.h"

namespace kb::sim {
namespace {

using Causes = std::map<std::pair<std::string, std::string>, ChangeCause>;  // by kind and statistic

// Longest waits of blocks must not be added.
bool is_longest(const std::string& statistic) {
  return statistic.find("max") != std::string::npos;
}

void add_times(Causes& causes, const result::Result& run, double ChangeCause::*value, double ChangeCause::*most) {
  for (const auto& [kind, block] : run.block_kinds) {
    for (const auto& [name, statistic] : block.statistics) {
      if (statistic.unit != "ns") continue;
      ChangeCause& cause = causes[{kind, name}];
      cause.kind = kind;
      cause.statistic = name;
      cause.unit = statistic.unit;
      cause.count = block.count;
      cause.most = statistic.at;
      cause.*most = fs_to_ns(TimeFs(statistic.max));
      cause.*value = is_longest(name) ? cause.*most : fs_to_ns(TimeFs(statistic.sum));
    }
  }
}

}  // namespace

// The second run is added last, so that its counts and places are used if it has the statistic.
std::vector<ChangeCause> causes_of(const result::Result& before, const result::Result& after) {
  Causes all;
  add_times(all, before, &ChangeCause::before, &ChangeCause::most_before);
  add_times(all, after, &ChangeCause::after, &ChangeCause::most_after);
  std::vector<ChangeCause> causes;
  for (auto& [key, cause] : all) {
    if (cause.before != cause.after) causes.push_back(std::move(cause));
  }
  std::stable_sort(causes.begin(), causes.end(), [](const ChangeCause& a, const ChangeCause& b) {
    return std::abs(a.difference()) > std::abs(b.difference());
  });
  return causes;
}

}  // namespace kb::sim
