// The ladder: relieve the worst, look again, relieve the next.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/why/measure.h"
#include "sim/study/why/relief.h"
#include "sim/study/why/remedy.h"

namespace kb::why {

struct Step {
  std::string id, text;
  TimeFs before = 0_fs, time = 0_fs;
  Point point;                         // with the reliefs of all steps so far
  std::string limiter;                 // what limits now
  std::optional<TimeFs> chosen_again;  // time without pins, where it differs by more than 1 %
};

struct Trial {
  std::string text;
  TimeFs time = 0_fs;
  Point point;
};

struct Ladder {
  TimeFs base = 0_fs;
  std::string limiter;                 // of the base run
  std::uint64_t unknown_accesses = 0;  // of the base run: their times are assumed
  std::vector<Step> steps;
  std::vector<Trial> others;    // of the base run: further reliefs that gain, largest gain first
  std::vector<Trial> remedies;  // that gain, largest gain first
  bool cut = false;             // it has as many steps as asked for, and may go on
  bool out_of_budget = false;   // it was cut because a point could not be run any more
  std::string bound_name;       // of the last step
  TimeFs bound = 0_fs;
  std::size_t points = 0;  // different points
  std::size_t failed = 0;  // that make no machine, or whose run fails
};

struct LadderOptions {
  std::size_t steps = 5;
  double least_gain = 0.01;  // of the time of the step before
};

using ReliefSource = std::function<std::vector<Relief>(const Measure& measure)>;

// `base` is the measure of the point without changes, with the account.
Ladder climb(IMeasurer& measurer, const Measure& base, const ReliefSource& reliefs, const std::vector<Remedy>& remedies,
             const LadderOptions& options);

}  // namespace kb::why
