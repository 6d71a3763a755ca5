// Matrices that are stored as tiles of columns.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/tl/context.h"

namespace kb::kernels {

// Part `index` of `count` parts of `all` elements, as DPPolicy divides: the first parts are one element longer.
struct Range {
  std::int64_t first = 0, size = 0;

  std::int64_t end() const { return first + size; }
};
Range part_of(std::int64_t all, std::int64_t index, std::int64_t count);

// Adjacent elements in shard order.
struct Run {
  std::int64_t first = 0, size = 0;
};
// Starts to load these runs, one after the other, into `out` (rows, columns), and appends what to wait for. It is one
// command where they have a common unit of at least 16 bytes.
void load_runs(tl::Context& tl, const tl::TensorHandle& out, tl::Ptr tensor, const std::vector<Run>& runs,
               std::vector<tl::Future>& pending);
// Starts to store `value` (rows, columns) in these runs in the same way.
void store_runs(tl::Context& tl, const tl::TensorHandle& value, tl::Ptr tensor, const std::vector<Run>& runs,
                std::vector<tl::Future>& pending);

// Where the elements of a matrix (m, n) are whose columns are split, over PEs, over cubes, or not at all. In shard
// order a tile of columns follows the one before, and a tile is row-major, also when its rows are dealt to PEs.
class ColumnTiles {
 public:
  // An empty one, which has no tensor.
  ColumnTiles() = default;
  // KERNEL_ERROR when the shards are no such tiles.
  ColumnTiles(tl::Context& tl, tl::Ptr tensor);

  bool null() const { return tensor_.null(); }
  tl::Ptr tensor() const { return tensor_; }
  std::int64_t rows() const { return rows_; }

  std::int64_t tiles() const { return static_cast<std::int64_t>(tiles_.size()); }
  struct Place {
    std::int64_t tile, row, column;
  };
  // Finds the element with this number in shard order.
  Place place(std::int64_t element) const;

  // Starts to load columns [first, first + width) of these rows into `out` (rows, width), and appends what to wait for.
  void load(tl::Context& tl, const tl::TensorHandle& out, const std::vector<std::int64_t>& rows, std::int64_t first,
            std::vector<tl::Future>& pending) const;
  // Starts to store `value` (rows, width) as columns [first, first + width) of these rows.
  void store(tl::Context& tl, const tl::TensorHandle& value, const std::vector<std::int64_t>& rows, std::int64_t first,
             std::vector<tl::Future>& pending) const;

 private:
  // Columns [first, first + width) of a row lie in the tile whose columns begin at `tile` and are `pitch` wide.
  struct Piece {
    std::int64_t first, width, tile, pitch;
  };
  std::vector<Piece> pieces(std::int64_t first, std::int64_t width) const;
  // All rows of pieces, in order; a single one where they are adjacent.
  std::vector<Run> runs(const std::vector<std::int64_t>& rows, const std::vector<Piece>& pieces) const;
  std::int64_t offset(const Piece& piece, std::int64_t row) const {
    return rows_ * piece.tile + row * piece.pitch + piece.first - piece.tile;
  }

  tl::Ptr tensor_;
  std::int64_t rows_ = 0;
  std::vector<Range> tiles_;  // columns
};

}  // namespace kb::kernels
