#pragma once

#include <cstdint>

namespace kb {

// Whether a composite GEMM retains the row panel of A, tile_m x K, in the tile buffers until the last column of tiles
// has used it (P-102): automatic (whenever it fits), or off.
enum class ReuseA : std::uint8_t { automatic, off };

}  // namespace kb
