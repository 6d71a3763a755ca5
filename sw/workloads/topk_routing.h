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
  std::size_t tokens = 0;  // number of compared tokens
};
// `weights` and `experts` are (tokens, k), for all tokens or, when there are many, for evenly spaced ones.
TopkVerdict topk_verdict(const TopkRouting& p, const HostArray& x, const HostArray& w, const HostArray& weights,
                         const HostArray& experts);
// Token numbers, one for each expert that a token chose, sorted by expert and then by token: the rows of the experts'
// input matrices.
std::vector<std::int64_t> tokens_by_expert(const TopkRouting& p, const std::vector<std::int64_t>& experts);
// Verifies the sum of all rows of `counts` (groups, experts).
data::VerificationRow expert_counts_row(const TopkRouting& p, const HostArray& counts,
                                        const std::vector<std::int64_t>& experts);
// Verifies (tokens x k, dim): the rows of x in this order.
data::VerificationRow sorted_tokens_row(const HostArray& x, const std::vector<std::int64_t>& order,
                                        const HostArray& sorted);

Workload topk_routing_workload();

}  // namespace kb::sw
