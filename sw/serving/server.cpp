#include "sw/serving/server.h"

#include <algorithm>

#include "platform/base/error.h"

namespace kb::serving {

Server::Server(const std::vector<Request>& requests, IBatchPolicy& policy, IStepTime& times)
    : requests_(requests), policy_(policy), times_(times), jobs_(requests.size()) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!requests[i].waits) arrivals_.emplace(requests[i].arrival_ns, i);
  }
}

void Server::run(const std::function<void()>& tick) {
  while (true) {
    const bool idle = policy_.running() + policy_.waiting() == 0;
    if (idle && arrivals_.empty()) return;
    if (idle) now_ns_ = std::max(now_ns_, arrivals_.top().first);
    take_arrivals();
    step();
    if (tick) tick();
  }
}

void Server::take_arrivals() {
  for (; !arrivals_.empty() && arrivals_.top().first <= now_ns_; arrivals_.pop()) {
    const auto [arrival_ns, id] = arrivals_.top();
    jobs_[id] = std::make_unique<Job>();
    Job& job = *jobs_[id];
    job.id = id;
    job.request = &requests_[id];
    job.arrival_ns = arrival_ns;
    policy_.arrive(job);
  }
}

void Server::step() {
  policy_.plan(batch_);
  if (batch_.empty()) throw Error::model("the batch policy plans an empty step while requests wait");
  for (const BatchEntry& entry : batch_) {
    if (entry.job->scheduled_ns < 0) entry.job->scheduled_ns = now_ns_;
    if (entry.job->first_token_ns < 0) entry.job->last_prefill_ns = now_ns_;
  }
  StepRecord record;
  record.begin_ns = now_ns_;
  now_ns_ += times_.step_ns(batch_);
  record.end_ns = now_ns_;
  record.batch = &batch_;
  record.running = policy_.running();
  record.waiting = policy_.waiting();
  record.used_blocks = policy_.used_blocks();
  if (!observers_.empty()) record.energy = times_.step_energy(batch_);
  if (record.energy) share_joules(record);
  for (IServerObserver* const observer : observers_) observer->on_step(record);
  for (const BatchEntry& entry : batch_) {
    if (entry.job->computed == entry.job->reached()) take_token(*entry.job);
  }
}

// Among the requests of the step by their new tokens.
void Server::share_joules(const StepRecord& step) {
  constexpr double kSeconds = 1e-9;  // of a nanosecond
  std::int64_t tokens = 0;
  for (const BatchEntry& entry : batch_) tokens += entry.new_tokens;
  const double joules = step.energy->events.value +
                        step.energy->static_watts.value * static_cast<double>(step.end_ns - step.begin_ns) * kSeconds;
  for (const BatchEntry& entry : batch_) {
    entry.job->joules += joules * static_cast<double>(entry.new_tokens) / static_cast<double>(tokens);
  }
}

void Server::take_token(Job& job) {
  ++job.generated;
  if (job.first_token_ns < 0) {
    job.first_token_ns = now_ns_;
  } else {
    const std::int64_t gap_ns = now_ns_ - job.last_token_ns;
    for (IServerObserver* const observer : observers_) observer->on_token(gap_ns);
    if (keep_gaps_) job.gaps_ns.push_back(gap_ns);
  }
  job.last_token_ns = now_ns_;
  if (job.done()) finish(job);
}

void Server::finish(Job& job) {
  policy_.finish(job);
  for (IServerObserver* const observer : observers_) observer->on_finished(job);
  ++finished_;
  const Request& request = *job.request;
  if (request.next != kNoRequest) arrivals_.emplace(now_ns_ + request.pause_ns, request.next);
  jobs_[job.id].reset();
}

}  // namespace kb::serving
