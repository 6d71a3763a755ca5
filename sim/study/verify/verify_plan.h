// Which steps are run, on which tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/model/batch.h"

namespace kb::verify {

using Tokens = std::vector<std::int64_t>;

// One program: new tokens of the first sequences of the cache.
struct VerifyStep {
  model::Batch batch;
  std::vector<Tokens> tokens;  // by sequence
  bool begins = false;         // caches hold numbers of no meaning before it
  bool reads_caches = false;   // the host reads them after it
};

// Sequence 0 has the prompt and the decoded tokens; sequences 1 and 2 appear in the mixed batch only.
struct VerifyPlan {
  std::vector<std::int64_t> room;  // tokens that the cache has room for, by sequence
  std::vector<VerifyStep> steps;
  std::int64_t prompt = 0, decoded = 0;
  std::vector<Tokens> sequences;
  // Places in `steps`. Step 0 computes the prompt, and steps 1 to `decoded` a token each.
  std::size_t longer = 0;   // the prompt and one token more at once
  std::size_t chunked = 0;  // the last chunk of the prompt
  std::size_t mixed = 0;    // a decode, the rest of a prompt, and a new prompt in one batch; its beginning before it
};

// `all`: the prompt, at least two tokens, and then those that are decoded, at least one. `others`: tokens of two
// further sequences, of which the first has as many tokens as the prompt.
VerifyPlan make_verify_plan(const Tokens& all, std::int64_t prompt, const std::vector<Tokens>& others);

}  // namespace kb::verify
