// One request to the model, as a trace gives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace kb::serving {

inline constexpr std::size_t kNoRequest = std::numeric_limits<std::size_t>::max();

struct Request {
  std::int64_t arrival_ns = 0;
  std::int64_t input_tokens = 0;   // at least 1
  std::int64_t output_tokens = 0;  // at least 1
  // Content of each full block of input and output, as far as the trace has it: two numbers are equal where all tokens
  // up to the end of the block are equal. Empty: the request takes no part in the prefix cache.
  std::vector<std::int64_t> contents;
  // Sessions: the call that arrives `pause_ns` after the end of this one.
  std::size_t next = kNoRequest;
  std::int64_t pause_ns = 0;
  bool waits = false;  // arrives after another call; arrival_ns is set then
  int line = 0;        // of the trace
};

}  // namespace kb::serving
