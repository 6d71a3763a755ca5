#include "sim/study/verify/verify_plan.h"

#include <algorithm>

namespace kb::verify {
namespace {

Tokens part(const Tokens& tokens, std::int64_t first, std::int64_t end) {
  return {tokens.begin() + first, tokens.begin() + end};
}

// Appends a step of sequences that have `past` tokens each in the cache, up to `ends`.
void add_step(VerifyPlan& plan, const std::vector<std::int64_t>& past, const std::vector<std::int64_t>& ends) {
  VerifyStep step;
  step.batch.phase = model::Phase::prefill;
  for (std::size_t i = 0; i < past.size(); ++i) {
    step.batch.sequences.push_back({1, past[i], ends[i] - past[i]});
    step.tokens.push_back(part(plan.sequences[i], past[i], ends[i]));
  }
  step.begins = std::all_of(past.begin(), past.end(), [](std::int64_t tokens) { return tokens == 0; });
  plan.steps.push_back(std::move(step));
}

}  // namespace

VerifyPlan make_verify_plan(const Tokens& all, std::int64_t prompt, const std::vector<Tokens>& others) {
  VerifyPlan plan;
  plan.sequences = {all, others[0], others[1]};
  for (const Tokens& tokens : plan.sequences) plan.room.push_back(static_cast<std::int64_t>(tokens.size()));
  plan.prompt = prompt;
  plan.decoded = plan.room[0] - prompt;
  add_step(plan, {0}, {prompt});
  plan.steps.back().reads_caches = true;
  for (std::int64_t token = prompt; token < plan.room[0]; ++token) add_step(plan, {token}, {token + 1});
  plan.steps.back().reads_caches = true;

  plan.longer = plan.steps.size();
  add_step(plan, {0}, {prompt + 1});

  // A chunk of a single token takes the kernel of decode.
  const std::int64_t first = std::max<std::int64_t>(1, prompt / 3), second = std::min(prompt, first + 1);
  add_step(plan, {0}, {first});
  if (second < prompt) add_step(plan, {first}, {second});
  add_step(plan, {second < prompt ? second : first}, {prompt});
  plan.chunked = plan.steps.size() - 1;
  plan.steps.back().reads_caches = true;

  const std::int64_t half = std::max<std::int64_t>(1, plan.room[1] / 2);
  add_step(plan, {0, 0}, {prompt, half});
  add_step(plan, {prompt, half, 0}, {prompt + 1, plan.room[1], plan.room[2]});
  plan.mixed = plan.steps.size() - 1;
  plan.steps.back().reads_caches = true;
  return plan;
}

}  // namespace kb::verify
