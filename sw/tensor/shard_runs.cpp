#include "sw/tensor/shard_runs.h"

#include <cstring>
#include <set>

namespace kb::sw {
namespace {

// Calls copy(row-major offset, shard-order offset, bytes) for every row of every distinct shard.
template <typename Copy>
void for_each_row(const std::vector<ShardSpec>& placement, const Shape& shape, std::size_t item, const Copy& copy) {
  for (const std::size_t index : distinct_shards(placement)) {
    const ShardSpec& shard = placement[index];
    const std::size_t row_bytes = static_cast<std::size_t>(shard.cols) * item;
    for (std::int64_t r = 0; r < shard.rows; ++r) {
      const auto row_major = static_cast<std::size_t>((shard.row + r) * shape.back() + shard.col) * item;
      copy(row_major, shard.offset_bytes + static_cast<std::size_t>(r) * row_bytes, row_bytes);
    }
  }
}

}  // namespace

std::vector<std::size_t> shards_holding(const std::vector<ShardSpec>& placement, const Block2d& block) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < placement.size(); ++i) {
    const ShardSpec& s = placement[i];
    const bool rows_inside = block.row >= s.row && block.row + block.rows <= s.row + s.rows;
    const bool cols_inside = block.col >= s.col && block.col + block.cols <= s.col + s.cols;
    if (rows_inside && cols_inside) found.push_back(i);
  }
  return found;
}

std::vector<std::size_t> distinct_shards(const std::vector<ShardSpec>& placement) {
  std::vector<std::size_t> distinct;
  std::set<std::uint64_t> seen;
  for (std::size_t i = 0; i < placement.size(); ++i) {
    if (seen.insert(placement[i].offset_bytes).second) distinct.push_back(i);
  }
  return distinct;
}

std::vector<ShardRun> block_runs(const std::vector<ShardSpec>& placement, std::size_t shard, const Block2d& block,
                                 std::size_t item) {
  const ShardSpec& s = placement[shard];
  const std::uint64_t row_bytes = static_cast<std::uint64_t>(block.cols) * item;
  const auto offset_of_row = [&](std::int64_t row) {
    return static_cast<std::uint64_t>((block.row - s.row + row) * s.cols + block.col - s.col) * item;
  };
  if (block.cols == s.cols) return {{shard, offset_of_row(0), row_bytes * static_cast<std::uint64_t>(block.rows), 0}};
  std::vector<ShardRun> runs;
  for (std::int64_t r = 0; r < block.rows; ++r) {
    runs.push_back({shard, offset_of_row(r), row_bytes, static_cast<std::uint64_t>(r) * row_bytes});
  }
  return runs;
}

std::vector<std::byte> to_shard_order(const std::vector<ShardSpec>& placement, const Shape& shape, std::size_t item,
                                      const std::vector<std::byte>& row_major) {
  std::vector<std::byte> out(row_major.size());
  for_each_row(placement, shape, item, [&](std::size_t from, std::size_t to, std::size_t n) {
    std::memcpy(out.data() + to, row_major.data() + from, n);
  });
  return out;
}

std::vector<std::byte> to_row_major(const std::vector<ShardSpec>& placement, const Shape& shape, std::size_t item,
                                    const std::vector<std::byte>& shard_order) {
  std::vector<std::byte> out(shard_order.size());
  for_each_row(placement, shape, item, [&](std::size_t to, std::size_t from, std::size_t n) {
    std::memcpy(out.data() + to, shard_order.data() + from, n);
  });
  return out;
}

}  // namespace kb::sw
