#include "kernels/model/table_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/tl/tl.h"
#include "platform/contract/tensor_layout.h"

namespace kb::kernels {

using tl::Context;
using tl::Future;
using tl::Ptr;
using tl::TensorHandle;

TableBlocks::TableBlocks(Context& tl, Ptr table) : table_(table) {
  const contract::TensorLayout& layout = table.tensor();
  const auto item = static_cast<std::int64_t>(item_size(layout.dtype));
  std::map<std::int64_t, Shape> shards;  // by the first element
  for (const contract::Shard& shard : layout.shards) {
    shards.emplace(static_cast<std::int64_t>(shard.offset_bytes) / item, layout.shape_of(shard));
  }
  const std::int64_t columns = table.shape()[1];
  std::int64_t at = 0, row = 0, column = 0;
  for (const auto& [first, shape] : shards) {
    if (column == 0) blocks_.push_back({{row, shape[0]}, {}});
    const bool fits = first == at && shape[0] == blocks_.back().rows.size && column + shape[1] <= columns;
    tl.require(fits, fmt::format("{} must be split by rows over cubes, by columns over PEs, or by one of them",
                                 shape_text(table)));
    blocks_.back().tiles.push_back({column, shape[1]});
    column = (column + shape[1]) % columns;
    row += column == 0 ? shape[0] : 0;
    at += shape[0] * shape[1];
  }
}

std::vector<Run> TableBlocks::runs(std::int64_t row, std::int64_t first, std::int64_t width) const {
  const auto block = std::upper_bound(blocks_.begin(), blocks_.end(), row,
                                      [](std::int64_t value, const Block& some) { return value < some.rows.end(); });
  std::vector<Run> out;
  const std::int64_t begin = block->rows.first * table_.shape()[1], end = first + width;
  for (const Range& tile : block->tiles) {
    const std::int64_t from = std::max(first, tile.first), stop = std::min(end, tile.end());
    if (from >= stop) continue;
    const std::int64_t in_tile = (row - block->rows.first) * tile.size + from - tile.first;
    out.push_back({begin + block->rows.size * tile.first + in_tile, stop - from});
  }
  return out;
}

void TableBlocks::load(Context& tl, const TensorHandle& out, const std::vector<std::int64_t>& rows, std::int64_t first,
                       std::vector<Future>& pending) const {
  std::vector<Run> all;
  for (const std::int64_t row : rows) {
    const std::vector<Run> its = runs(row, first, out.size(1));
    all.insert(all.end(), its.begin(), its.end());
  }
  load_runs(tl, out, table_, all, pending);
}

}  // namespace kb::kernels
