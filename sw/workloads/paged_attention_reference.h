// References of rope_append and paged attention, with bounds on their roundings.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/contract/paged_attention.h"
#include "platform/data/running_error.h"
#include "sw/tensor/host_array.h"

namespace kb::sw {

struct PagedProblem {
  std::int64_t heads = 8, kv_heads = 1, d = 128, window = 0;
  bool norm = false, interleaved = false;
  double eps = 1e-6;
  Dtype dtype = Dtype::bf16;
  contract::PagedCache cache;
  std::vector<contract::PagedSequence> sequences;
  std::int64_t scratch_bytes = 1 << 20;  // of a PE

  std::int64_t rows() const;
  std::int64_t width() const { return (heads + 2 * kv_heads) * d; }
};

struct RopeOperands {
  HostArray qkv, inv_freq, q_norm, k_norm;  // norms only with PagedProblem::norm
};
// Query heads (heads, rows, d), and new keys (rows, kv_heads, d), as (rows, d) matrices.
data::BoundedMatrix rotated_queries(const PagedProblem& problem, const RopeOperands& operands);
data::BoundedMatrix rotated_keys(const PagedProblem& problem, const RopeOperands& operands);

// A token of the step, for the query heads of one K/V head.
struct AttentionItem {
  std::size_t sequence = 0;
  std::int64_t token = 0, kv_head = 0;
};
std::vector<AttentionItem> attention_items(const PagedProblem& problem, double most_products);
// These rows of `width` elements of an array, which may be much larger than they are.
std::vector<double> row_values(const HostArray& array, std::int64_t width, const std::vector<std::int64_t>& rows);
// Keys that a PE computes with together, as slots of the cache.
using KeySteps = std::vector<std::vector<std::int64_t>>;
// Parts of the keys that a token sees, in steps, as the kernels divide them; parts are merged.
std::vector<KeySteps> attention_parts(const PagedProblem& problem, const AttentionItem& item);
// Result (items * query heads per K/V head, d) from the queries and the cache that the device has.
data::BoundedMatrix attended(const PagedProblem& problem, const std::vector<AttentionItem>& items, const HostArray& q,
                             const HostArray& k_cache, const HostArray& v_cache);

}  // namespace kb::sw
