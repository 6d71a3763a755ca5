// Runs points in processes of their own, as many at a time as there are cores: SystemC elaborates once per process, and
// one that crashes or takes too much harms no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/study/sweep/answer.h"
#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

// What an engine does with points, which are numbers to it.
struct EngineWork {
  // In the process of the point, which is forked from this one and has all that is loaded here.
  std::function<Answer(std::uint64_t point)> run;
  // In this process, before that; may be null.
  std::function<void(std::uint64_t point)> prepare;
  // In this process, with the final answer. What it throws ends the engine and kills what is under way.
  std::function<void(std::uint64_t point, const Answer& answer)> finished;
  std::function<void()> tick;  // a few times a second; may be null
};

// `points` in the order in which they are begun. A point that ends without an answer (killed, crashed, beyond a limit)
// is tried again as often as `limits` say, then its answer is the failure. Configuration Error when no process can be
// made. Must be called before this process uses SystemC or starts threads.
void run_points(const std::vector<std::uint64_t>& points, const EngineWork& work, const Limits& limits, int jobs);

}  // namespace kb::sweep
