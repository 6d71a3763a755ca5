// A server whose steps take stated times and which remembers what happened.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "sw/serving/server.h"
#include "sw/serving/vllm_policy.h"

namespace kb::serving {

constexpr std::int64_t kSecond = 1'000'000'000;  // in ns

class StatedTimes final : public IStepTime {
 public:
  explicit StatedTimes(std::function<std::int64_t(const Batch&)> time) : time_(std::move(time)) {}
  std::int64_t step_ns(const Batch& batch) override { return time_(batch); }
  std::vector<std::string> abstractions() const override { return {}; }

 private:
  std::function<std::int64_t(const Batch&)> time_;
};

// Request, new tokens, tokens computed before.
using RecordedBatch = std::vector<std::tuple<int, std::int64_t, std::int64_t>>;

struct Recorder final : public IServerObserver {
  struct Finished {
    std::int64_t arrival_ns, scheduled_ns, last_prefill_ns, first_token_ns, last_token_ns;
    std::vector<std::int64_t> gaps_ns;
  };
  void on_step(const StepRecord& step) override {
    RecordedBatch& batch = batches.emplace_back();
    for (const BatchEntry& entry : *step.batch) {
      batch.emplace_back(static_cast<int>(entry.job->id), entry.new_tokens, entry.past);
    }
    steps.push_back(step);
  }
  void on_token(std::int64_t) override { ++later_tokens; }
  void on_finished(const Job& job) override {
    order.push_back(static_cast<int>(job.id));
    finished[static_cast<int>(job.id)] = {job.arrival_ns,     job.scheduled_ns,  job.last_prefill_ns,
                                          job.first_token_ns, job.last_token_ns, job.gaps_ns};
  }
  std::vector<RecordedBatch> batches;
  std::vector<StepRecord> steps;  // without their batches
  std::vector<int> order;
  std::map<int, Finished> finished;
  std::int64_t later_tokens = 0;
};

inline Request request(std::int64_t arrival_ns, std::int64_t input, std::int64_t output,
                       std::vector<std::int64_t> contents = {}) {
  Request one;
  one.arrival_ns = arrival_ns;
  one.input_tokens = input;
  one.output_tokens = output;
  one.contents = std::move(contents);
  return one;
}

struct RecordedRun {
  Recorder recorder;
  PolicyCounts counts;
};

// Every step takes 100 ns.
inline RecordedRun serve(const std::vector<Request>& requests, const VllmLimits& limits) {
  RecordedRun run;
  VllmPolicy policy(limits);
  StatedTimes times([](const Batch&) { return 100; });
  Server server(requests, policy, times);
  server.add_observer(run.recorder);
  server.keep_gaps();
  server.run();
  run.counts = policy.counts();
  EXPECT_EQ(policy.used_blocks(), 0);
  EXPECT_EQ(server.finished(), requests.size());
  return run;
}

}  // namespace kb::serving
