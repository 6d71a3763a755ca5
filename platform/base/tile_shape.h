// Tile size of composites, in elements.
#pragma once

#include <cstdint>

namespace kb {

struct TileShape {
  std::int64_t m = 32;
  std::int64_t k = 64;
  std::int64_t n = 32;
};

}  // namespace kb
