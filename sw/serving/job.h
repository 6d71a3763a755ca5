// A request on its way through the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/serving/block_pool.h"
#include "sw/serving/request.h"

namespace kb::serving {

struct Job {
  std::size_t id = 0;  // index of the request in the trace
  const Request* request = nullptr;
  std::int64_t arrival_ns = 0;
  std::int64_t generated = 0;         // output tokens so far
  std::int64_t computed = 0;          // tokens whose keys and values are in the blocks
  std::vector<BlockId> blocks;        // in the order of the text
  std::int64_t indexed = 0;           // full blocks that the prefix cache knows
  std::int64_t preemptions = 0;       // how often it has lost its blocks
  std::int64_t scheduled_ns = -1;     // start of the first step that has it
  std::int64_t last_prefill_ns = -1;  // start of the step that completes the input
  std::int64_t first_token_ns = -1;   // end of the step that completes the input
  std::int64_t last_token_ns = -1;    // end of the step of the latest output token
  double joules = 0;                  // its share of its steps, where they are counted
  std::vector<std::int64_t> gaps_ns;  // between output tokens, when they are kept

  std::int64_t reached() const { return request->input_tokens + generated; }  // tokens that are known
  bool done() const { return generated == request->output_tokens; }
};

}  // namespace kb::serving
