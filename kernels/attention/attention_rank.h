// What both attention kernels share: the arguments of a launch, and how its rows are dealt out to the ranks.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/attention/causal_mask.h"
#include "kernels/attention/dealt_rows.h"
#include "kernels/tl/tl.h"

namespace kb::kernels {

// Sizes of the whole; each rank finds its own rows by DealtRows (K-89).
struct AttentionArguments {
  tl::Ptr q, k, v, o;           // each split over the ranks, head by head at each
  std::int64_t tokens = 0;      // of queries; with a causal mask the last ones of the context
  std::int64_t q_per_kv = 1;    // query heads that share a KV head: rows of Q of a token
  std::int64_t context = 0;     // keys of a KV head
  std::int64_t d = 0;           // head dimension
  std::int64_t heads = 1;       // KV heads that a group of ranks computes, one after the other
  std::int64_t n_ranks = 1;     // of a group
  std::int64_t rank_axis = 0;   // 0: the PEs of a cube are a ring; 1: PE 0 of the cubes of a mesh row are a line (K-86)
  std::int64_t slot_bytes = 0;  // the largest message
  std::optional<std::int64_t> causal, rows, keys;  // rows of Q that a rank works on at a time, keys of a block; at most
  // Only attention_mesh_mlo has these.
  std::optional<std::int64_t> root, broadcast;

  std::int64_t query_rows() const { return tokens * q_per_kv; }  // of a KV head
  std::int64_t most_rows() const { return rows.value_or(128); }
  std::int64_t most_keys() const { return keys.value_or(256); }
  std::int64_t row_bytes() const { return d * static_cast<std::int64_t>(item_size(k.dtype())); }
  Sight sight() const { return {causal.value_or(0) != 0, context - tokens, q_per_kv}; }
};

// All but those of attention_mesh_mlo.
tl::Parameters<AttentionArguments> attention_parameters();

// A rank and what lies at its PE: for each head as many rows as the largest share has, the first ones of which are its.
struct AttentionRank {
  std::int64_t rank = 0;
  bool ring = true;  // else a line, west to east (K-91)
  tl::Ptr q, k, v, o;
};

enum class Queries : std::uint8_t { dealt, everywhere };  // rows of Q: each at one rank, or all at every rank

// Returns no value on a PE that is not a rank (K-86). KERNEL_ERROR when the sizes do not fit each other, the machine or
// the shards.
std::optional<AttentionRank> attention_rank(tl::Context& tl, const AttentionArguments& args, Queries queries);

}  // namespace kb::kernels
