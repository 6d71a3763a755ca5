#include "sim/analysis/compare/comparison_lines.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "platform/base/units.h"

namespace kb::sim {
namespace {

struct LineSums {
  TimeFs time = 0_fs, wait = 0_fs;
};

using Call = std::tuple<std::string, std::string, std::string, std::string, std::string>;
using Lines = std::map<std::uint64_t, LineSums>;  // by line number

Call call_of(const std::string& kernel, const result::Line& line) {
  return {kernel, line.file, line.call, line.tensor, line.range};
}

// Calls that have a line.
std::map<Call, Lines> calls_of(const result::Result& run) {
  std::map<Call, Lines> calls;
  for (const result::LineTime& one : run.lines) {
    if (one.line.line > 0) accumulate(calls[call_of(one.kernel, one.line)][one.line.line].time, one.time);
  }
  for (const result::Transfer& one : run.transfers) {
    if (one.line.line == 0) continue;
    LineSums& sums = calls[call_of(one.kernel, one.line)][one.line.line];
    for (const auto& [role, use] : one.uses) accumulate(sums.wait, use.wait);
  }
  return calls;
}

LineChange change_of(const Call& call) {
  LineChange change;
  std::tie(change.kernel, change.file, change.call, change.tensor, change.range) = call;
  return change;
}

void set_side(LineChange::Side& side, const Lines::value_type& line) {
  side = {line.first, fs_to_ns(line.second.time), fs_to_ns(line.second.wait)};
}

void add_pairs(std::vector<LineChange>& changes, const Call& call, Lines before, Lines after) {
  const auto add = [&](const Lines::value_type* a, const Lines::value_type* b) {
    LineChange change = change_of(call);
    if (a != nullptr) set_side(change.before, *a);
    if (b != nullptr) set_side(change.after, *b);
    if (change.before.ns != change.after.ns || change.before.wait_ns != change.after.wait_ns) changes.push_back(change);
  };
  if (before.size() != after.size()) {
    for (auto a = before.begin(); a != before.end();) {
      const auto b = after.find(a->first);
      if (b == after.end()) {
        ++a;
        continue;
      }
      add(&*a, &*b);
      after.erase(b);
      a = before.erase(a);
    }
  }
  auto a = before.begin(), b = after.begin();
  while (a != before.end() || b != after.end()) {
    add(a == before.end() ? nullptr : &*a, b == after.end() ? nullptr : &*b);
    if (a != before.end()) ++a;
    if (b != after.end()) ++b;
  }
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
  std::map<Call, Lines> a = calls_of(before), b = calls_of(after);
  std::vector<LineChange> changes;
  for (const auto& [call, lines] : a) {
    const auto other = b.find(call);
    add_pairs(changes, call, lines, other == b.end() ? Lines() : other->second);
    if (other != b.end()) b.erase(other);
  }
  for (const auto& [call, lines] : b) add_pairs(changes, call, {}, lines);
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
