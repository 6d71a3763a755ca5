#pragma once

#include <vector>

#include "sw/workloads/contents.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

struct TopkRouting {
  Dtype dtype = Dtype::f16;
  std::int64_t tokens = 0, dim = 0, experts = 0, k = 0;

  HostArray x(Contents contents, std::uint64_t seed) const;
  HostArray w(Contents contents, std::uint64_t seed) const;
};
struct TopkVerdict {
  data::VerificationRow experts, weights;
  std::size_t tokens = 0;  // that were compared
};
// `weights` and `experts` are (tokens, k): of all tokens, or of some, evenly spaced, when there are many.
TopkVerdict topk_verdict(const TopkRouting& p, const HostArray& x, const HostArray& w, const HostArray& weights,
                         const HostArray& experts);
// Numbers of tokens, one for each expert that a token chose, sorted by expert and then by token: the rows of the
// matrices that the experts work on.
std::vector<std::int64_t> tokens_by_expert(const TopkRouting& p, const std::vector<std::int64_t>& experts);
// The sum of all rows of `counts` (groups, experts).
data::VerificationRow expert_counts_row(const TopkRouting& p, const HostArray& counts,
                                        const std::vector<std::int64_t>& experts);
// (tokens x k, dim): the rows of x in this order.
data::VerificationRow sorted_tokens_row(const HostArray& x, const std::vector<std::int64_t>& order,
                                        const HostArray& sorted);

Workload topk_routing_workload();

}  // namespace kb::sw
