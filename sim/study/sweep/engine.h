// Runs points in separate processes, one per core: SystemC elaborates once per process, and a process that crashes or
// exceeds a limit does not affect others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/study/sweep/answer.h"
#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

// Callbacks of an engine, which identifies points by number.
struct EngineWork {
  // Called in the point's process, which is forked from this one and has everything that is loaded here.
  std::function<Answer(std::uint64_t point)> run;
  // Called in this process before the fork; may be null.
  std::function<void(std::uint64_t point)> prepare;
  // Called in this process with the final answer. An exception ends the engine and kills running points.
  std::function<void(std::uint64_t point, const Answer& answer)> finished;
  std::function<void()> tick;  // called a few times per second; may be null
};

// Starts `points` in the given order. A point without an answer (killed, crashed, beyond a limit) is retried as often
// as `limits` allow; then its answer is the failure. Configuration Error when no process can be created. Must be called
// before this process uses SystemC or starts threads.
void run_points(const std::vector<std::uint64_t>& points, const EngineWork& work, const Limits& limits, int jobs);

}  // namespace kb::sweep
