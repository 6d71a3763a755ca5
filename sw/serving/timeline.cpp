#include "sw/serving/timeline.h"

#include <utility>

namespace kb::serving {
namespace {

constexpr std::int64_t kNsPerS = 1'000'000'000;

}  // namespace

Timeline::Timeline(std::int64_t blocks, std::function<void(const Second&)> write)
    : blocks_(blocks), write_(std::move(write)) {
  second_.t = 1;
}

// Writes the seconds that end before `ns`; the step ran at their end, or without one the server was idle.
void Timeline::write_until(std::int64_t ns, const StepRecord* step) {
  while (second_.t * kNsPerS < ns) {
    if (step != nullptr) {
      second_.running = step->running;
      second_.waiting = step->waiting;
      second_.used_share = static_cast<double>(step->used_blocks) / static_cast<double>(blocks_);
    }
    write_(second_);
    const std::int64_t next = second_.t + 1;
    second_ = {};
    second_.t = next;
  }
}

void Timeline::on_step(const StepRecord& step) {
  write_until(step.begin_ns, nullptr);
  write_until(step.end_ns, &step);
  for (const BatchEntry& entry : *step.batch) {
    const std::int64_t known = entry.job->reached();
    if (entry.past + entry.new_tokens == known) ++second_.output_tokens;
    if (entry.past < entry.job->request->input_tokens) second_.input_tokens += entry.new_tokens;
  }
  end_ns_ = step.end_ns;
}

void Timeline::finish() {
  write_until(end_ns_ + 1, nullptr);
  if (second_.input_tokens + second_.output_tokens > 0) write_(second_);
}

}  // namespace kb::serving
