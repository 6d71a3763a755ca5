// What a served trace comes to: latencies of requests and tokens, throughput, use of the blocks.
#pragma once

#include <cstdint>
#include <optional>

#include "sw/serving/distribution.h"
#include "sw/serving/server.h"

namespace kb::serving {

// Times of a finished request, in ns.
struct RequestTimes {
  std::int64_t latency_ns = 0;
  std::int64_t queuing_ns = 0;       // until the first step that has it
  std::int64_t prefill_wait_ns = 0;  // until the step that completes the input
  std::int64_t first_token_ns = 0;
  std::int64_t per_token_ns = 0;  // mean gap of the later tokens, cut to an integer; 0 for one token
};
RequestTimes times_of(const Job& job);

class Statistics final : public IServerObserver {
 public:
  void on_step(const StepRecord& step) override;
  void on_token(std::int64_t gap_ns) override { gaps.add(gap_ns); }
  void on_finished(const Job& job) override;

  double seconds() const;  // from the first arrival to the last token
  double requests_per_s() const { return per_second(latency.count()); }
  double input_tokens_per_s() const { return per_second(static_cast<std::uint64_t>(input_tokens)); }
  double output_tokens_per_s() const { return per_second(static_cast<std::uint64_t>(output_tokens)); }
  double mean_running() const { return mean_of(running_ns_); }  // while a step runs
  double mean_used_blocks() const { return mean_of(used_block_ns_); }

  // Joules of all steps, with static power from the first arrival to the last token. No value: not counted.
  std::optional<Joules> joules() const;

  Distribution first_token, per_token, gaps, latency, queuing;
  std::int64_t steps = 0;
  std::int64_t busy_ns = 0;  // steps run
  std::int64_t computed_tokens = 0;
  std::int64_t input_tokens = 0, output_tokens = 0;  // of finished requests
  std::int64_t most_used_blocks = 0;
  std::size_t most_running = 0, most_waiting = 0;
  std::optional<StepEnergy> energy;  // of all steps together

 private:
  double per_second(std::uint64_t count) const;
  double mean_of(double weighted) const { return busy_ns == 0 ? 0.0 : weighted / static_cast<double>(busy_ns); }

  std::int64_t first_arrival_ns_ = -1, end_ns_ = 0;
  double running_ns_ = 0, used_block_ns_ = 0;
};

}  // namespace kb::serving
