#pragma once

#include <cstdint>

namespace kb {

// Whether a composite GEMM keeps the row panel of A, tile_m x K, in the tile buffers until the last column of tiles has
// used it: when it fits, or never (P-102).
enum class ReuseA : std::uint8_t { automatic, off };

}  // namespace kb
