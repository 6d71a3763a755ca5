// Tensor layouts that collectives accept: one tile of equal size on each participating PE or cube (K-16, K-65).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/error.h"
#include "platform/contract/machine_info.h"
#include "sw/distributed/algorithms.h"
#include "sw/tensor/tensor.h"

namespace kb::sw {

struct TileLayout {
  int sip = 0;
  int tiles = 1;            // tiles of the tensor, including copies
  bool one_cube = false;    // a single tile on PE 0 of one cube
  std::int64_t n_elem = 0;  // elements of a tile
  std::vector<int> cubes;   // ascending
};

// Accepted layouts; they also determine the remedy in errors.
struct TileRule {
  TileOwners owners = TileOwners::cubes;
  bool one = true;      // a single tile on PE 0 of one cube
  bool all = true;      // a tile on every cube, or on every PE
  bool any = false;     // tiles on any set of cubes
  bool copies = false;  // tiles may be copies of each other
  bool spread = false;  // a cube's tile may be distributed over several of its PEs, in order
};

Error layout_error(const Tensor& tensor, const std::string& text);

// Program Errors: TENSOR_ERROR when the tensor is not on the device (`what` is the call), LAYOUT_ERROR with tensor and
// offending shard.
TileLayout tile_layout(const Tensor& tensor, const contract::MachineInfo& machine, const TileRule& rule,
                       const std::string& what);

}  // namespace kb::sw
