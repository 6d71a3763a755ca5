#include "sw/serving/timeline.h"

#include <utility>

namespace kb::serving {
namespace {

constexpr std::int64_t kNsPerS = 1'000'000'000;

// Mean power of the events of a step.
double watts_of(const StepRecord* step) {
  if (step == nullptr || !step->energy) return 0.0;
  return step->energy->events.value * static_cast<double>(kNsPerS) / static_cast<double>(step->end_ns - step->begin_ns);
}

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
    spend_until(second_.t * kNsPerS, watts_of(step));
    write_(second_);
    const std::int64_t next = second_.t + 1;
    second_ = {};
    second_.t = next;
  }
}

// Adds the joules of the time since the last call, with static power, to the second that is not written.
void Timeline::spend_until(std::int64_t ns, double watts) {
  if (spent_ns_ < 0 || ns <= spent_ns_) return;
  second_.joules += (watts + static_watts_) * static_cast<double>(ns - spent_ns_) / static_cast<double>(kNsPerS);
  spent_ns_ = ns;
}

void Timeline::on_step(const StepRecord& step) {
  write_until(step.begin_ns, nullptr);
  if (step.energy) static_watts_ = step.energy->static_watts.value;
  if (spent_ns_ < 0) spent_ns_ = step.begin_ns;
  spend_until(step.begin_ns, 0.0);
  write_until(step.end_ns, &step);
  spend_until(step.end_ns, watts_of(&step));
  for (const BatchEntry& entry : *step.batch) {
    const std::int64_t known = entry.job->reached();
    if (entry.past + entry.new_tokens == known) ++second_.output_tokens;
    if (entry.past < entry.job->request->input_tokens) second_.input_tokens += entry.new_tokens;
  }
  end_ns_ = step.end_ns;
}

void Timeline::finish() {
  write_until(end_ns_ + 1, nullptr);
  if (second_.input_tokens + second_.output_tokens > 0 || second_.joules > 0) write_(second_);
}

}  // namespace kb::serving
