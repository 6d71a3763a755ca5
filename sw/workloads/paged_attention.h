// The attention kernels of a model's step, over a paged cache.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/contract/paged_attention.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

// Sequences of one shape: `count` sequences of `tokens` new tokens after `past` earlier ones.
struct SequenceGroup {
  std::int64_t count = 1, tokens = 1, past = 0;
};

// "32x4096,1x64+512": 32 sequences with one new token in a context of 4096, one with 64 new tokens after 512. Program
// Error VALUE_ERROR that names the part which is wrong.
std::vector<SequenceGroup> parse_sequences(const std::string& text);

Workload paged_attention_workload();

}  // namespace kb::sw
