// All-reduces over links between all pairs of ranks.
#pragma once

#include <cstdint>

#include "kernels/collective/direct_exchange.h"
#include "kernels/collective/reduction.h"

namespace kb::kernels {

// Replaces a segment of the tiles by the combination over all ranks, at `out`; all ranks get the same bits.
// - blocks: each rank combines a block and sends it to all ranks
// - tiles: all tiles are sent to all ranks, which add them in rank order
void combine_blocks(DirectExchange& x, const Span& segment, const Reduction& reduction);
void combine_tiles(DirectExchange& x, const Span& segment, const Reduction& reduction);
// Messages per chunk of a segment that a rank receives, for DirectExchange::segments().
inline std::int64_t combined_streams(std::int64_t ranks, bool blocks) {
  return blocks ? 2 : ranks;
}

}  // namespace kb::kernels
