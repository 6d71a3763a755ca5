#pragma once

#include <vector>

#include "sw/workloads/contents.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

struct FlashAttention {
  Dtype dtype = Dtype::f16;
  std::int64_t queries = 0, context = 0, d = 0;
  std::int64_t rows = 0, keys = 0;  // rows per piece of Q, keys per block of K and V
  bool causal = false;
  std::int64_t first_token = 0;
  std::int64_t pes = 1;  // PEs per cube

  HostArray q(Contents contents, std::uint64_t seed) const;
  HostArray k(Contents contents, std::uint64_t seed) const;
  HostArray v(Contents contents, std::uint64_t seed) const;
};
// Rows of Q that PE `pe` of a cube processes at a time.
struct QueryPiece {
  std::int64_t first = 0, count = 0, pe = 0;
};
std::int64_t keys_seen(const FlashAttention& p, const QueryPiece& piece);
// First keys of the blocks in processing order: first the blocks that all rows attend to, beginning with one of the
// PE's own and wrapping around, then the partially masked ones.
std::vector<std::int64_t> block_order(const FlashAttention& p, const QueryPiece& piece);
// Computes the reference in the kernel's order. `pieces` cover all of Q, by row.
data::VerificationRow flash_attention_row(const FlashAttention& p, const std::vector<QueryPiece>& pieces,
                                          const HostArray& q, const HostArray& k, const HostArray& v,
                                          const HostArray& actual);

Workload flash_attention_workload();

}  // namespace kb::sw
