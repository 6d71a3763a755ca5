// What one step of the model computes.
#pragma once

#include <cstdint>
#include <vector>

namespace kb::serving {

struct Job;

struct BatchEntry {
  Job* job = nullptr;           // null in batches that are only timed
  std::int64_t new_tokens = 0;  // 1: a decode step, more: (a piece of) an input
  std::int64_t past = 0;        // tokens computed before
};

using Batch = std::vector<BatchEntry>;

}  // namespace kb::serving
