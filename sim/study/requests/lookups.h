// A profile asked directly: times of single kernels and of whole steps.
#pragma once

#include <cstddef>
#include <string>

#include "sw/profile/profile_step_time.h"

namespace kb::requests {

struct LookupTable {
  std::string csv;  // the rows with the computed times
  std::size_t rows = 0;
  std::size_t different = 0;  // rows whose expected time is more than 1 ns off
  bool compared = false;      // the file has expected times
};

// Two kinds of tables, told by their header (M-70):
//   kind,tp,layer,n,prefill_chunk,kv_prefill,decode_kv,activated_experts,skew[,expected_ns]    single look-ups
//   prefills_new@past,decode_kv[,tokens,sequences,layer_ns,step_ns]                            batches
// Rows of single look-ups for another tp than `tp` are computed with tables of that tp. Configuration Error.
LookupTable look_up(const std::string& file, profile::KernelProfile& profile, const profile::ServedModel& model,
                    profile::Ranks ranks, const profile::RankLinks& links);

}  // namespace kb::requests
