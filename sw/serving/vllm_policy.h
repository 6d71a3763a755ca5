// The scheduler of vLLM V1: continuous batching with chunked prefill, preemption by recomputation, prefix cache.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sw/serving/block_pool.h"
#include "sw/serving/i_batch_policy.h"

namespace kb::serving {

struct VllmLimits {
  std::int64_t blocks = 0;
  std::int64_t block_size = 16;    // tokens
  std::int64_t max_seqs = 256;     // running requests
  std::int64_t max_tokens = 2048;  // new tokens of a step
  bool prefix_cache = false;
};

// One step (M-72): running requests get their tokens in the order of their admission; when blocks run out, the last one
// of them is preempted. If nobody was preempted, waiting requests are admitted while tokens, requests and blocks for
// their whole length allow.
class VllmPolicy final : public IBatchPolicy {
 public:
  explicit VllmPolicy(const VllmLimits& limits);

  void arrive(Job& job) override { waiting_.push_back(&job); }
  void plan(Batch& batch) override;
  void finish(Job& job) override;

  std::size_t running() const override { return running_.size(); }
  std::size_t waiting() const override { return waiting_.size(); }
  std::int64_t blocks() const override { return pool_.size(); }
  std::int64_t used_blocks() const override { return pool_.size() - pool_.free_blocks(); }
  const PolicyCounts& counts() const override { return counts_; }
  std::vector<std::string> abstractions() const override;

 private:
  bool plan_running(Batch& batch);  // false when a request was preempted
  void plan_waiting(Batch& batch);
  bool admit(Job& job, Batch& batch);                   // false when its blocks do not fit
  bool make_room(const Job& job, std::int64_t tokens);  // false when the job itself was preempted
  void preempt_last();
  void compute(Job& job, std::int64_t tokens, Batch& batch);
  std::int64_t blocks_for(std::int64_t tokens) const { return (tokens + limits_.block_size - 1) / limits_.block_size; }

  VllmLimits limits_;
  BlockPool pool_;
  std::vector<Job*> running_;  // in order of admission
  std::deque<Job*> waiting_;
  std::int64_t budget_ = 0;  // tokens left in the step that is being planned
  PolicyCounts counts_;
};

}  // namespace kb::serving
