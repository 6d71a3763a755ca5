// Distribution of a tensor over the cubes and PEs of one SIP (K-24 .. K-28, H-22 .. H-27).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/base/ids.h"
#include "platform/base/memory_kind.h"

namespace kb::sw {

enum class Split : std::uint8_t { replicate, column_wise, row_wise };

// A policy has no SIP axis: a tensor is on the SIP of the rank that creates it (K-23, K-24).
struct DPPolicy {
  Split cube = Split::replicate;
  Split pe = Split::replicate;
  std::optional<int> num_pes;    // PEs per cube that hold a shard, beginning with PE 0; no value = all (H-26)
  std::optional<int> num_cubes;  // cubes that hold a shard, beginning with cube 0; no value = all
  // Memory of the shards: the HBM slice or the TCM of their PE, or the SRAM of its cube, where the copies of a cube's
  // PEs are merged into one.
  MemoryKind memory = MemoryKind::hbm;

  DPPolicy in(MemoryKind kind) const {
    DPPolicy policy = *this;
    policy.memory = kind;
    return policy;
  }
};

inline constexpr std::size_t kMaxDimensions = 4;  // number of dimensions of a tensor

// A tensor of one to four dimensions viewed as a matrix: the last dimension is the columns, all others together are the
// rows; a vector is one row. An index of the first dimension covers `row_unit` rows.
struct Matrix {
  std::int64_t rows = 1, cols = 1;
  std::int64_t row_unit = 1;
};
Matrix matrix_of(const Shape& shape);

// One shard with structural coordinates (K-25): a contiguous block of rows x cols elements, row-major inside, whose
// first element is (row, col) of the tensor as a matrix.
struct ShardSpec {
  PeCoord owner;
  std::uint64_t offset_bytes = 0;  // offset of the block in shard order; equal for replicas
  std::uint64_t nbytes = 0;
  std::int64_t row = 0, col = 0;
  std::int64_t rows = 0, cols = 0;
};

// Effective counts of a policy on a SIP with `cubes` cubes of `pes` PEs; allocation and launch both use this rule
// (K-28). Program Error SCHEMA_ERROR when the policy requests fewer than one or more than exist.
struct EffectiveCounts {
  int cubes = 1;
  int pes = 1;
};
EffectiveCounts effective_counts(const DPPolicy& policy, int cubes, int pes);

// Splits `shape` over cubes, then each cube's part over its PEs; cube-major, then PE (K-26, K-27). row_wise splits the
// first dimension, column_wise the last. If the division has a remainder, the first parts have one element more; empty
// parts are omitted. Program Error SHAPE_ERROR that names `tensor` unless the shape has one to four dimensions of at
// least 1.
std::vector<ShardSpec> resolve_dp_policy(const DPPolicy& policy, const Shape& shape, Dtype dtype,
                                         EffectiveCounts counts, SipId target_sip, const std::string& tensor);
// Shape of a shard of a tensor with shape `tensor`.
Shape shard_shape(const Shape& tensor, const ShardSpec& shard);

}  // namespace kb::sw
