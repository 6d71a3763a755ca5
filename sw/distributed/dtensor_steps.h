// Changes of placement along one axis of a mesh, for DTensor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/distributed/dtensor.h"

namespace kb::sw {

// The part of each cube, all of one size: (rows, cols).
struct TileShape {
  std::int64_t rows = 0, cols = 0;
};

// One change: `axis` goes to `to`.
struct PlacementStep {
  int axis = 0;
  Placement to;
};

// The changes that lead from one placement to the other, each of which one collective or a local copy can do:
//   1. partials that become anything but a shard are combined, so that what follows moves less;
//   2. from the innermost axis outwards, shards are gathered that change or whose dimension an outer axis splits anew,
//      unless one all_to_all does it all;
//   3. from the outermost axis inwards, the new placements.
std::vector<PlacementStep> redistribution(const Placements& from, const Placements& to);

// SCHEMA_ERROR and SHAPE_ERROR of DTensor, in words of `what`.
void require_placements(const DeviceMesh& mesh, const Placements& placements, const std::string& what);
TileShape part_of(const DeviceMesh& mesh, const Placements& placements, TileShape whole, const std::string& what);

// One rank's tiles on the way from one placement to the next.
class TileMover {
 public:
  TileMover(const DeviceMesh& mesh, int cubes, Dtype dtype, std::string purpose)
      : mesh_(mesh), cubes_(cubes), dtype_(dtype), purpose_(std::move(purpose)) {}

  Tensor make(TileShape tile, bool zeros = false) const;
  // `from` is the placement of the axis before; tiles of (rows, cols).
  Tensor change(const Tensor& in, TileShape tile, const Placement& from, const PlacementStep& step) const;
  // From member 0 of the axis, whose tile `in` is; the others have none.
  Tensor spread(const Tensor& in, TileShape tile, const PlacementStep& step) const;

 private:
  struct Side {  // where blocks and their rows begin in a tile
    std::int64_t start = 0, step = 0, stride = 0;
  };
  struct Blocks {  // of tile_blocks
    std::int64_t count = 1, rows = 1, cols = 1;
    Side in, out;
  };
  Tensor moved(const Tensor& in, TileShape out, const Blocks& blocks) const;
  Tensor split_columns(const Tensor& in, TileShape tile, std::int64_t parts) const;
  Tensor join_columns(const Tensor& in, TileShape part, std::int64_t parts) const;
  Tensor gather(const Tensor& in, TileShape tile, int axis, int dim) const;
  Tensor slice(const Tensor& in, TileShape tile, int axis, int dim) const;
  Tensor exchange(const Tensor& in, TileShape tile, int axis, int to_dim) const;
  Tensor combine(const Tensor& in, TileShape tile, const Placement& from, const PlacementStep& step) const;
  Tensor to_partial(const Tensor& in, TileShape tile, const PlacementStep& step) const;
  std::int64_t size(int axis) const { return mesh_.axis(axis).size; }
  CollectiveOptions how() const;

  const DeviceMesh& mesh_;
  int cubes_;
  Dtype dtype_;
  std::string purpose_;
};

}  // namespace kb::sw
