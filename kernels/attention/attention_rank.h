// What both attention kernels share: the arguments of a launch and a rank's own rows.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/tl/tl.h"

namespace kb::kernels {

// What the launch writes; no kernel derives one from another (K-89).
struct AttentionArguments {
  tl::Ptr q, k, v, o;           // each split by rows over the ranks
  std::int64_t rows = 0;        // rows of Q of a rank per KV head: query tokens x query heads of its group
  std::int64_t keys = 0;        // rows of K and V of a rank per KV head
  std::int64_t d = 0;           // head dimension
  std::int64_t heads = 1;       // KV heads that a group of ranks computes, one after the other
  std::int64_t n_ranks = 1;     // of a group
  std::int64_t rank_axis = 0;   // 0: the PEs of a cube are a ring; 1: PE 0 of the cubes of a mesh row are a line (K-86)
  std::int64_t slot_bytes = 0;  // the largest message
  // Only attention_mesh_mlo has these.
  std::optional<std::int64_t> root, broadcast;
};

// All but those of attention_mesh_mlo.
tl::Parameters<AttentionArguments> attention_parameters();

// A rank and the rows that lie at its PE, head by head.
struct AttentionRank {
  std::int64_t rank = 0;
  bool ring = true;  // else a line, west to east (K-91)
  tl::Ptr q, k, v, o;
};

// None on a PE that is not a rank (K-86). KERNEL_ERROR when the sizes do not fit each other, the machine or the shards.
std::optional<AttentionRank> attention_rank(tl::Context& tl, const AttentionArguments& args);

}  // namespace kb::kernels
