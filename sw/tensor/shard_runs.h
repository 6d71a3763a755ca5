// Locates a block of a tensor in its shards.
#pragma once

#include <vector>

#include "sw/tensor/i_tensor_context.h"
#include "sw/tensor/placement.h"

namespace kb::sw {

struct Block2d {
  std::int64_t row = 0, col = 0, rows = 0, cols = 0;
};

// Shards that contain the whole block, in shard order; they are replicas. Empty when the block crosses shards.
std::vector<std::size_t> shards_holding(const std::vector<ShardSpec>& placement, const Block2d& block);

// The first shard of each distinct offset, in shard order; together they hold the tensor once.
std::vector<std::size_t> distinct_shards(const std::vector<ShardSpec>& placement);

// The block's bytes inside `shard`, row by row; rows that are adjacent in memory form one run. `buffer_offset` counts
// the block's bytes in row-major order.
std::vector<ShardRun> block_runs(const std::vector<ShardSpec>& placement, std::size_t shard, const Block2d& block,
                                 std::size_t item);

// Converts between a row-major array and shard order.
std::vector<std::byte> to_shard_order(const std::vector<ShardSpec>& placement, const Shape& shape, std::size_t item,
                                      const std::vector<std::byte>& row_major);
std::vector<std::byte> to_row_major(const std::vector<ShardSpec>& placement, const Shape& shape, std::size_t item,
                                    const std::vector<std::byte>& shard_order);

}  // namespace kb::sw
