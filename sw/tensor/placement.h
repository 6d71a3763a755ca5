// How a tensor is spread over the cubes and PEs of one SIP (K-24 .. K-28, H-22 .. H-27).
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

// There is no SIP axis: a tensor lives on the one SIP of the rank that makes it (K-23, K-24).
struct DPPolicy {
  Split cube = Split::replicate;
  Split pe = Split::replicate;
  std::optional<int> num_pes;    // PEs per cube that hold a shard, from 0; absent = all (H-26)
  std::optional<int> num_cubes;  // cubes that hold a shard, from 0; absent = all
  // What the shards lie in: the HBM slice or the TCM of their PE, or the SRAM of its cube, where the copies that a
  // cube's PEs would have are one.
  MemoryKind memory = MemoryKind::hbm;

  DPPolicy in(MemoryKind kind) const {
    DPPolicy policy = *this;
    policy.memory = kind;
    return policy;
  }
};

inline constexpr std::size_t kMaxDimensions = 4;  // of a tensor

// A tensor of one to four dimensions seen as a matrix: the last dimension are its columns, all others together its
// rows; a vector is one row. An element of the first dimension is `row_unit` rows.
struct Matrix {
  std::int64_t rows = 1, cols = 1;
  std::int64_t row_unit = 1;
};
Matrix matrix_of(const Shape& shape);

// One shard by structural coordinates (K-25): a contiguous block of rows x cols elements, row-major inside, whose upper
// left element is (row, col) of the tensor as a matrix.
struct ShardSpec {
  PeCoord owner;
  std::uint64_t offset_bytes = 0;  // of the block in shard order; replicas share it
  std::uint64_t nbytes = 0;
  std::int64_t row = 0, col = 0;
  std::int64_t rows = 0, cols = 0;
};

// Effective counts of a policy on a SIP with `cubes` cubes of `pes` PEs; the one rule for allocation and launch (K-28).
// Program Error SCHEMA_ERROR when the policy asks for fewer than one or more than there are.
struct EffectiveCounts {
  int cubes = 1;
  int pes = 1;
};
EffectiveCounts effective_counts(const DPPolicy& policy, int cubes, int pes);

// Splits `shape` over cubes, then each cube's part over its PEs; cube-major, then PE (K-26, K-27). row_wise splits the
// first dimension, column_wise the last. What is not divided evenly gives the first parts one element more; parts
// without elements are left out. Program Error SHAPE_ERROR naming `tensor` when the shape has not one to four
// dimensions of at least 1.
std::vector<ShardSpec> resolve_dp_policy(const DPPolicy& policy, const Shape& shape, Dtype dtype,
                                         EffectiveCounts counts, SipId target_sip, const std::string& tensor);
// Dimensions of a shard of a tensor of shape `tensor`.
Shape shard_shape(const Shape& tensor, const ShardSpec& shard);

}  // namespace kb::sw
