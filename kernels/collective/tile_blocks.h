// The blocks of a tile that collectives between ranks exchange chunk by chunk.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kb::kernels {

// The elements of every block in one chunk: the same range of equal blocks, or one of `chunks` parts of blocks that
// divide a tile, where the first parts have one element more when the division has a remainder.
struct TileBlocks {
  std::int64_t elements = 0;  // of a block; with `chunks`, of the tile that consists of `count` blocks
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
