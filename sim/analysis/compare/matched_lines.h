// Pairs the lines of kernels of two runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "sim/result/line.h"

namespace kb::sim {

// A call of a kernel without its line number: kernel, file, call, tensor and range.
using LineCall = std::tuple<std::string, std::string, std::string, std::string, std::string>;
// Sums by line number, of the lines with this call.
template <typename Sums>
using LinesOfCall = std::map<std::uint64_t, Sums>;
template <typename Sums>
using LinesByCall = std::map<LineCall, LinesOfCall<Sums>>;

inline LineCall line_call(const std::string& kernel, const result::Line& line) {
  return {kernel, line.file, line.call, line.tensor, line.range};
}

// Calls `take(a, b)` for each line of a call, with pointers to number and sums; a null pointer stands for a run that
// does not have the line. When both runs have as many lines, the first belongs to the first; otherwise lines with equal
// numbers belong together, and the others follow in order.
template <typename Sums, typename Take>
void pair_lines_of_call(LinesOfCall<Sums> before, LinesOfCall<Sums> after, const Take& take) {
  if (before.size() != after.size()) {
    for (auto a = before.begin(); a != before.end();) {
      const auto b = after.find(a->first);
      if (b == after.end()) {
        ++a;
        continue;
      }
      take(&*a, &*b);
      after.erase(b);
      a = before.erase(a);
    }
  }
  auto a = before.begin(), b = after.begin();
  while (a != before.end() || b != after.end()) {
    take(a == before.end() ? nullptr : &*a, b == after.end() ? nullptr : &*b);
    if (a != before.end()) ++a;
    if (b != after.end()) ++b;
  }
}

// Calls `take(call, a, b)` for each line of either run.
template <typename Sums, typename Take>
void pair_lines(const LinesByCall<Sums>& before, const LinesByCall<Sums>& after, const Take& take) {
  const auto lines_in = [](const LinesByCall<Sums>& run, const LineCall& call) {
    const auto found = run.find(call);
    return found == run.end() ? LinesOfCall<Sums>() : found->second;
  };
  const auto pair_call = [&](const LineCall& call) {
    pair_lines_of_call(lines_in(before, call), lines_in(after, call),
                       [&](const auto* a, const auto* b) { take(call, a, b); });
  };
  for (const auto& entry : before) pair_call(entry.first);
  for (const auto& entry : after) {
    if (before.count(entry.first) == 0) pair_call(entry.first);
  }
}

}  // namespace kb::sim
