// Reference outputs of a model, computed by another implementation and read from a file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "platform/model/model_spec.h"
#include "sim/study/verify/verify_plan.h"

namespace kb::verify {

// What is known of the keys or values of a layer, all tokens in order.
struct GoldenCache {
  std::int64_t tokens = 0;
  double l2 = 0;                   // root of the sum of squares
  double wsum = 0;                 // sum of element i times ((i mod 31) - 15)
  std::vector<double> sum_by_pos;  // sum of each token
};
struct GoldenLayer {
  GoldenCache k, v;
};

struct Golden {
  Tokens prompt;
  Tokens tokens;                      // greedy ones, which are fed
  std::vector<std::int64_t> choices;  // the greedy choice after the prompt and after each of the tokens
  std::vector<std::vector<std::pair<std::int64_t, double>>> top;  // largest logits of each choice
  std::vector<double> first, last;  // all logits after the prompt and after the last token
  std::vector<GoldenLayer> after_prompt, after_all;
};

// Reads a JSON file with the keys prompt, tokens, decode (each with token and top8), prompt_logits_last,
// logits_after_<tokens>, cache_after_prompt and cache_after_<tokens>. Configuration Error for a key that is missing or
// does not fit the model.
Golden read_golden(const std::string& file, const model::ModelSpec& spec);

}  // namespace kb::verify
