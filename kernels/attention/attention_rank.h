// Common part of both attention kernels: launch arguments, and distribution of the rows over the ranks.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/attention/balanced_rows.h"
#include "kernels/attention/causal_mask.h"
#include "kernels/tl/tl.h"

namespace kb::kernels {

// Sizes of the whole problem; each rank computes its own rows with BalancedRows (K-89).
struct AttentionArguments {
  tl::Ptr q, k, v, o;           // each distributed over the ranks, head by head at each rank
  std::int64_t tokens = 0;      // number of query tokens; with a causal mask, the last ones of the context
  std::int64_t q_per_kv = 1;    // query heads per KV head: rows of Q per token
  std::int64_t context = 0;     // keys per KV head
  std::int64_t d = 0;           // head dimension
  std::int64_t heads = 1;       // number of KV heads that a group of ranks computes in sequence
  std::int64_t n_ranks = 1;     // size of a group
  std::int64_t rank_axis = 0;   // 0: the PEs of a cube are a ring; 1: PE 0 of the cubes of a mesh row are a line (K-86)
  std::int64_t slot_bytes = 0;  // maximum size of a message
  std::optional<std::int64_t> causal, rows, keys;  // maximum rows of Q per pass, maximum keys per block
  // Used only by attention_mesh_mlo.
  std::optional<std::int64_t> root, broadcast;

  std::int64_t query_rows() const { return tokens * q_per_kv; }  // per KV head
  std::int64_t most_rows() const { return rows.value_or(128); }
  std::int64_t most_keys() const { return keys.value_or(256); }
  std::int64_t row_bytes() const { return d * static_cast<std::int64_t>(item_size(k.dtype())); }
  AttentionMask sight() const { return {causal.value_or(0) != 0, context - tokens, q_per_kv}; }
};

// Parameters without those of attention_mesh_mlo.
tl::Parameters<AttentionArguments> attention_parameters();

// A rank and the data at its PE: for each head, as many rows as the largest share has; the first ones belong to the
// rank.
struct AttentionRank {
  std::int64_t rank = 0;
  bool ring = true;  // otherwise a line, west to east (K-91)
  tl::Ptr q, k, v, o;
};

enum class Queries : std::uint8_t { dealt, everywhere };  // rows of Q: distributed over the ranks, or replicated

// Returns no value on a PE that is not a rank (K-86). KERNEL_ERROR when the sizes do not match each other, the machine
// or the shards.
std::optional<AttentionRank> attention_rank(tl::Context& tl, const AttentionArguments& args, Queries queries);

}  // namespace kb::kernels
