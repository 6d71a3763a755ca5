// From the inputs of a run to its ladder.
#pragma once

#include <optional>
#include <string>

#include "sim/result/result.h"
#include "sim/run/driver/progress.h"
#include "sim/study/why/ladder.h"
#include "sim/study/why/repeat.h"
#include "sim/study/why/tornado.h"

namespace kb::why {

struct ExplainOptions {
  std::size_t steps = 5;
  int jobs = 0;                    // 0: one per core
  std::optional<double> budget_s;  // no point runs later than so many seconds from now
  sim::Progress progress = sim::Progress::automatic;
};

struct Explanation {
  Measure base;
  Ladder ladder;
  std::size_t ran = 0;  // points that were not known from an earlier call
  double seconds = 0;
};

// Measures the run that `repeat` repeats. `result`: what the run said, with which the repetition has to agree; null:
// the run comes later. Configuration Error when they differ, or when the base run fails. Must be called before this
// process uses SystemC or starts threads.
Explanation explain(const Repeat& repeat, const result::Result* result, const ExplainOptions& options);

// Writes DIR/why/why.json.
void write_explanation(const Explanation& explanation, const Repeat& repeat);
// The table, and how it was made.
std::string text_of(const Explanation& explanation, const Repeat& repeat, const ExplainOptions& options);

struct MachineExplanation {
  Tornado tornado;
  std::size_t ran = 0;
  double seconds = 0;
};

// The same for the keys of the machine of a run that was made.
MachineExplanation explain_machine(const Repeat& repeat, const result::Result& result, const ExplainOptions& options);
// Writes DIR/why/tornado.json, .csv and .svg.
void write_explanation(const MachineExplanation& explanation, const Repeat& repeat);
std::string text_of(const MachineExplanation& explanation, const Repeat& repeat);

// Configuration Error when a plug-in has started a thread, which a forked process does not have.
void check_threads();

}  // namespace kb::why
