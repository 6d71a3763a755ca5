// The blocks of a tile that collectives between ranks exchange, chunk by chunk.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kb::kernels {

// What a chunk has of every block: of equal blocks the same elements, or one of `chunks` parts of blocks that a tile is
// split into, of which the first ones have an element more.
struct TileBlocks {
  std::int64_t elements = 0;  // of a block, or with `chunks` of the tile that `count` blocks make up
  std::int64_t first = 0, size = 0;
  std::int64_t count = 1, chunks = 0, chunk = 0;

  struct Part {
    std::int64_t first = 0, size = 0;
  };
  Part part(std::int64_t block) const {
    if (chunks == 0) return {block * elements + first, size};
    const std::int64_t least = elements / count, longer = elements % count;
    const std::int64_t own = least + (block < longer ? 1 : 0), begin = block * least + std::min(block, longer);
    const std::int64_t from = own * chunk / chunks;
    return {begin + from, own * (chunk + 1) / chunks - from};
  }
};

}  // namespace kb::kernels
