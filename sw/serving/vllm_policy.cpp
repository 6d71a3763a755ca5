#include "sw/serving/vllm_policy.h"

#include <algorithm>

namespace kb::serving {

VllmPolicy::VllmPolicy(const VllmLimits& limits) : limits_(limits), pool_(limits.blocks) {}

void VllmPolicy::plan(Batch& batch) {
  batch.clear();
  budget_ = limits_.max_tokens;
  if (plan_running(batch)) plan_waiting(batch);
}

bool VllmPolicy::plan_running(Batch& batch) {
  const std::int64_t before = counts_.preemptions;
  for (std::size_t i = 0; i < running_.size() && budget_ > 0; ++i) {
    Job& job = *running_[i];
    const std::int64_t tokens = std::min(job.reached() - job.computed, budget_);
    if (!make_room(job, tokens)) break;
    compute(job, tokens, batch);
  }
  return counts_.preemptions == before;
}

// The victims stand behind the job, so none of them is in the batch yet.
bool VllmPolicy::make_room(const Job& job, std::int64_t tokens) {
  const auto held = static_cast<std::int64_t>(job.blocks.size());
  while (blocks_for(job.computed + tokens) - held > pool_.free_blocks()) {
    const bool itself = running_.back() == &job;
    preempt_last();
    if (itself) return false;
  }
  return true;
}

void VllmPolicy::preempt_last() {
  Job& job = *running_.back();
  running_.pop_back();
  pool_.release(job.blocks);
  job.blocks.clear();
  job.computed = 0;
  ++job.preemptions;
  ++counts_.preemptions;
  waiting_.push_front(&job);
}

void VllmPolicy::plan_waiting(Batch& batch) {
  while (!waiting_.empty() && budget_ > 0 && running_.size() < static_cast<std::size_t>(limits_.max_seqs)) {
    if (!admit(*waiting_.front(), batch)) return;
    waiting_.pop_front();
  }
}

// At least one token is computed, because a step has to give the next token.
bool VllmPolicy::admit(Job& job, Batch& batch) {
  const std::vector<std::int64_t>& contents = job.request->contents;
  const std::int64_t most = limits_.prefix_cache ? (job.reached() - 1) / limits_.block_size : 0;
  std::vector<BlockId> hits;
  std::int64_t free_hits = 0;
  for (std::size_t i = 0; i < contents.size() && static_cast<std::int64_t>(i) < most; ++i) {
    const std::optional<BlockId> block = pool_.find(contents[i]);
    if (!block) break;
    free_hits += pool_.is_free(*block) ? 1 : 0;
    hits.push_back(*block);
  }
  const auto found = static_cast<std::int64_t>(hits.size());
  if (blocks_for(job.reached()) - found + free_hits > pool_.free_blocks()) return false;
  for (const BlockId block : hits) pool_.share(block);
  job.blocks = std::move(hits);
  job.indexed = found;
  job.computed = found * limits_.block_size;
  if (job.preemptions == 0) {
    counts_.hit_tokens += job.computed;
  } else {
    counts_.recomputed_tokens += job.reached() - job.computed;
  }
  running_.push_back(&job);
  compute(job, std::min(job.reached() - job.computed, budget_), batch);
  return true;
}

// Full blocks are indexed when they are planned: a request of the same step may use them.
void VllmPolicy::compute(Job& job, std::int64_t tokens, Batch& batch) {
  batch.push_back({&job, tokens, job.computed});
  budget_ -= tokens;
  job.computed += tokens;
  const std::int64_t needed = blocks_for(job.computed);
  while (static_cast<std::int64_t>(job.blocks.size()) < needed) job.blocks.push_back(pool_.take());
  if (!limits_.prefix_cache) return;
  const auto known = static_cast<std::int64_t>(job.request->contents.size());
  for (const std::int64_t full = std::min(job.computed / limits_.block_size, known); job.indexed < full;
       ++job.indexed) {
    const auto at = static_cast<std::size_t>(job.indexed);
    pool_.index(job.blocks[at], job.request->contents[at]);
  }
}

void VllmPolicy::finish(Job& job) {
  pool_.release(job.blocks);
  job.blocks.clear();
  running_.erase(std::find(running_.begin(), running_.end(), &job));
}

std::vector<std::string> VllmPolicy::abstractions() const {
  std::vector<std::string> list = {
      "the scheduler, tokenisation and the network to the client take no time",
      "a request ends after the output tokens of the trace; there is no speculative decoding and no priority",
      "a preempted request computes its tokens again; blocks are not swapped to the host"};
  if (!limits_.prefix_cache) list.emplace_back("there is no prefix cache (--prefix-cache)");
  return list;
}

}  // namespace kb::serving
