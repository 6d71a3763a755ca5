#include "sw/serving/statistics.h"

#include <algorithm>

namespace kb::serving {

RequestTimes times_of(const Job& job) {
  RequestTimes times;
  times.latency_ns = job.last_token_ns - job.arrival_ns;
  times.queuing_ns = job.scheduled_ns - job.arrival_ns;
  times.prefill_wait_ns = job.last_prefill_ns - job.arrival_ns;
  times.first_token_ns = job.first_token_ns - job.arrival_ns;
  if (job.generated > 1) times.per_token_ns = (job.last_token_ns - job.first_token_ns) / (job.generated - 1);
  return times;
}

void Statistics::on_step(const StepRecord& step) {
  const std::int64_t ns = step.end_ns - step.begin_ns;
  ++steps;
  busy_ns += ns;
  for (const BatchEntry& entry : *step.batch) computed_tokens += entry.new_tokens;
  running_ns_ += static_cast<double>(step.running) * static_cast<double>(ns);
  used_block_ns_ += static_cast<double>(step.used_blocks) * static_cast<double>(ns);
  most_used_blocks = std::max(most_used_blocks, step.used_blocks);
  most_running = std::max(most_running, step.running);
  most_waiting = std::max(most_waiting, step.waiting);
  if (!step.energy) return;
  if (!energy) energy.emplace();
  energy->events.add(step.energy->events);
  energy->static_watts = step.energy->static_watts;
}

void Statistics::on_finished(const Job& job) {
  const RequestTimes times = times_of(job);
  first_token.add(times.first_token_ns);
  if (job.generated > 1) per_token.add(times.per_token_ns);
  latency.add(times.latency_ns);
  queuing.add(times.queuing_ns);
  input_tokens += job.request->input_tokens;
  output_tokens += job.generated;
  if (first_arrival_ns_ < 0 || job.arrival_ns < first_arrival_ns_) first_arrival_ns_ = job.arrival_ns;
  end_ns_ = std::max(end_ns_, job.last_token_ns);
}

double Statistics::seconds() const {
  return static_cast<double>(end_ns_ - std::max<std::int64_t>(first_arrival_ns_, 0)) / 1e9;
}

std::optional<Joules> Statistics::joules() const {
  if (!energy) return std::nullopt;
  Joules joules = energy->events;
  joules.add(energy->static_watts, seconds());
  return joules;
}

double Statistics::per_second(std::uint64_t count) const {
  return seconds() > 0.0 ? static_cast<double>(count) / seconds() : 0.0;
}

}  // namespace kb::serving
