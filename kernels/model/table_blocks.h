// Tables that are split by rows over cubes and by columns over PEs.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/model/column_tiles.h"
#include "kernels/tl/context.h"

namespace kb::kernels {

// Where the elements of a matrix are that consists of blocks of rows, one after the other, each of which is split by
// columns or whole.
class TableBlocks {
 public:
  // KERNEL_ERROR when the shards are no such blocks.
  TableBlocks(tl::Context& tl, tl::Ptr table);

  // Starts to load columns [first, first + width) of these rows into `out` (rows, width), and appends what to wait for.
  void load(tl::Context& tl, const tl::TensorHandle& out, const std::vector<std::int64_t>& rows, std::int64_t first,
            std::vector<tl::Future>& pending) const;

 private:
  struct Block {
    Range rows;
    std::vector<Range> tiles;  // columns
  };
  std::vector<Run> runs(std::int64_t row, std::int64_t first, std::int64_t width) const;

  tl::Ptr table_;
  std::vector<Block> blocks_;
};

}  // namespace kb::kernels
