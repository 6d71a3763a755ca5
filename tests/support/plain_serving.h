// An oracle of serving: the rules of M-71 to M-73 in their plainest form, with lists that are searched and no shared
// code.
#pragma once

#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

namespace kb::test {

struct PlainRequest {
  std::int64_t arrival = 0, input = 0, output = 0;
  std::vector<std::int64_t> contents;  // of full blocks
};

struct PlainSettings {
  std::int64_t blocks = 0, block_size = 0, max_seqs = 0, max_tokens = 0;
  bool prefix_cache = false;
};

// Request, new tokens, tokens computed before.
using PlainBatch = std::vector<std::tuple<int, std::int64_t, std::int64_t>>;

struct PlainServed {
  std::vector<PlainBatch> batches;
  std::vector<std::vector<std::int64_t>> token_times;  // by request
  std::int64_t preemptions = 0, recomputed = 0, hit_tokens = 0;
};

PlainServed serve_plainly(const std::vector<PlainRequest>& requests, const PlainSettings& settings,
                          const std::function<std::int64_t(const PlainBatch&)>& time_of);

}  // namespace kb::test
