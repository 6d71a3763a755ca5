#include "sim/analysis/compare/comparison_lines.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "platform/base/units.h"
#include "sim/analysis/compare/matched_lines.h"

namespace kb::sim {
namespace {

struct LineSums {
  TimeFs time = 0_fs, wait = 0_fs;
};

// Calls that have a line.
LinesByCall<LineSums> calls_of(const result::Result& run) {
  LinesByCall<LineSums> calls;
  for (const result::LineTime& one : run.lines) {
    if (one.line.line > 0) accumulate(calls[line_call(one.kernel, one.line)][one.line.line].time, one.time);
  }
  for (const result::Transfer& one : run.transfers) {
    if (one.line.line == 0) continue;
    LineSums& sums = calls[line_call(one.kernel, one.line)][one.line.line];
    for (const auto& [role, use] : one.uses) accumulate(sums.wait, use.wait);
  }
  return calls;
}

LineChange::Side side_of(const LinesOfCall<LineSums>::value_type* line) {
  if (line == nullptr) return {};
  return {line->first, fs_to_ns(line->second.time), fs_to_ns(line->second.wait)};
}

constexpr std::string_view kBetween = " / ";

// The range and those around it, by kernel: "gemm: layer 3".
void add_ranges(std::map<std::string, double>& sums, const result::LineTime& one) {
  const std::string& path = one.line.range;
  for (std::size_t end = 0; end < path.size();) {
    end = std::min(path.find(kBetween, end == 0 ? 0 : end + kBetween.size()), path.size());
    sums[one.kernel + ": " + path.substr(0, end)] += fs_to_ns(one.time);
  }
}

std::map<std::string, double> ranges_of(const result::Result& run) {
  std::map<std::string, double> sums;
  for (const result::LineTime& one : run.lines) add_ranges(sums, one);
  return sums;
}

}  // namespace

std::vector<LineChange> line_changes(const result::Result& before, const result::Result& after) {
  std::vector<LineChange> changes;
  pair_lines(calls_of(before), calls_of(after), [&](const LineCall& call, const auto* a, const auto* b) {
    LineChange change;
    std::tie(change.kernel, change.file, change.call, change.tensor, change.range) = call;
    change.before = side_of(a);
    change.after = side_of(b);
    if (change.before.ns != change.after.ns || change.before.wait_ns != change.after.wait_ns) changes.push_back(change);
  });
  std::stable_sort(changes.begin(), changes.end(), [](const LineChange& x, const LineChange& y) {
    const auto size = [](const LineChange& one) {
      return std::pair(std::abs(one.after.ns - one.before.ns), std::abs(one.after.wait_ns - one.before.wait_ns));
    };
    return size(x) > size(y);
  });
  return changes;
}

std::vector<Change> range_changes(const result::Result& before, const result::Result& after) {
  std::map<std::string, Change> all;
  for (const auto& [name, ns] : ranges_of(before)) all[name] = {name, "ns", ns, 0};
  for (const auto& [name, ns] : ranges_of(after)) {
    Change& change = all[name];
    change.name = name;
    change.unit = "ns";
    change.after = ns;
  }
  std::vector<Change> changes;
  for (auto& [name, change] : all) {
    if (change.before != change.after) changes.push_back(std::move(change));
  }
  std::stable_sort(changes.begin(), changes.end(), [](const Change& x, const Change& y) {
    return std::abs(x.difference()) > std::abs(y.difference());
  });
  return changes;
}

}  // namespace kb::sim
