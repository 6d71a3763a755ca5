// Columns of a matrix that is split by columns over the cubes and by rows over the PEs of a cube ("tile").
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/tl/tl.h"
#include "platform/base/even_parts.h"

namespace kb::kernels {

// Consecutive columns of a tile tensor (m, n) that lie in one cube.
struct TilePiece {
  std::int64_t column = 0, columns = 0;
  tl::Ptr at;                   // element (0, column)
  std::int64_t row_stride = 0;  // columns of the cube
};

// Program Error KERNEL_ERROR when the tensor has another layout.
void require_tile(tl::Context& tl, tl::Ptr tensor);
std::vector<TilePiece> tile_pieces(tl::Context& tl, tl::Ptr tensor, std::int64_t first, std::int64_t columns);

// Columns [first, first + count) of dense rows as a dense (rows, count): a view, or a copy by PE_MATH.
tl::TensorHandle columns_of(tl::Context& tl, const tl::TensorHandle& matrix, std::int64_t first, std::int64_t count);

// Loads columns [first, first + columns) of some ascending rows into scratch with one command: a tile, with the rows
// between; a masked load where pieces lie near each other in shard order; else a gather, if they have a common unit.
class TileLoad {
 public:
  TileLoad(tl::Context& tl, tl::Ptr tensor, const std::vector<std::int64_t>& rows, std::int64_t first,
           std::int64_t columns);

  enum class Order { by_group, by_row };
  // `groups` groups of `width` columns each, from column `first` on, all inside of what is loaded: (groups, rows,
  // width) or (rows, groups, width). Waits for the loads.
  tl::TensorHandle take(std::int64_t first, std::int64_t groups, std::int64_t width, Order order);

 private:
  struct Block {
    std::int64_t column = 0, columns = 0;  // of the tensor
    tl::TensorHandle values;               // element (0, column) is element `start`
    std::int64_t start = 0, row_stride = 0;
  };
  void load_together(const std::vector<TilePiece>& pieces, std::int64_t span);
  void load_one(const TilePiece& piece);
  void gather(tl::Ptr tensor, const std::vector<std::int64_t>& rows, std::int64_t first, std::int64_t columns);
  void append(std::int64_t row, std::int64_t first, std::int64_t count, std::vector<tl::TensorHandle>& parts);

  tl::Context& tl_;
  std::int64_t row_;                // the first one
  std::vector<std::int64_t> rows_;  // of what is in scratch
  std::vector<Block> blocks_;
  std::vector<tl::Future> loads_;
};

}  // namespace kb::kernels
