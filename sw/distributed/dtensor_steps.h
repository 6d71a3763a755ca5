// Placement changes along one axis of a mesh, for DTensor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/distributed/dtensor.h"

namespace kb::sw {

// The part of each cube, with equal sizes: (rows, cols).
struct TileShape {
  std::int64_t rows = 0, cols = 0;
};

// One change: `axis` gets the placement `to`.
struct PlacementStep {
  int axis = 0;
  Placement to;
};

// The steps from one placement to another; each needs one collective or a local copy:
// - 1. Partials that do not become shards are combined, so that later steps move less data.
// - 2. From the innermost to the outermost axis, shards are gathered if they change or if an outer axis splits their
//   dimension differently, unless a single all_to_all suffices.
// - 3. From the outermost to the innermost axis, the new placements are applied.
std::vector<PlacementStep> redistribution(const Placements& from, const Placements& to);

// These throw SCHEMA_ERROR and SHAPE_ERROR of DTensor; messages begin with `what`.
void require_placements(const DeviceMesh& mesh, const Placements& placements, const std::string& what);
TileShape part_of(const DeviceMesh& mesh, const Placements& placements, TileShape whole, const std::string& what);

// Changes one rank's tiles from one placement to the next.
class TileMover {
 public:
  TileMover(const DeviceMesh& mesh, int cubes, Dtype dtype, std::string purpose)
      : mesh_(mesh), cubes_(cubes), dtype_(dtype), purpose_(std::move(purpose)) {}

  Tensor make(TileShape tile, bool zeros = false) const;
  // `from` is the previous placement of the axis; tiles have (rows, cols).
  Tensor change(const Tensor& in, TileShape tile, const Placement& from, const PlacementStep& step) const;
  // Distributes the tile `in` of member 0 of the axis; the others have no input.
  Tensor spread(const Tensor& in, TileShape tile, const PlacementStep& step) const;

 private:
  struct Side {  // positions of blocks and their rows in a tile
    std::int64_t start = 0, step = 0, stride = 0;
  };
  struct Blocks {  // arguments of tile_blocks
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
