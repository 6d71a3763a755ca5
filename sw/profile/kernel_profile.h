// Measured times of the kernels of a model on one device.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sw/profile/attention_table.h"
#include "sw/profile/expert_table.h"
#include "sw/profile/line.h"
#include "sw/profile/skew_fit.h"

namespace kb::profile {

// Times of a rank at one degree of tensor parallelism, of one layer each.
struct RankTables {
  std::map<std::string, Line> dense;         // by kernel, over the tokens of a step
  std::map<std::string, Line> per_sequence;  // by kernel, over its requests
  AttentionTable attention;
  std::optional<SkewFit> skew;  // none: decodes of unequal context cost as much as those of their mean
};

struct KernelProfile {
  std::string hardware, model, variant;       // as the profile states them; may be empty
  std::int64_t max_tokens = 0, max_seqs = 0;  // that it was measured for; 0: not stated
  bool skew_enabled = false;                  // fits count where there are some
  std::map<std::int64_t, RankTables> by_tp;
  ExpertTable experts;  // of one rank, for every degree; empty without mixture of experts
};

}  // namespace kb::profile
