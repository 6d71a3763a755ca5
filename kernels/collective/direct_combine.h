// All-reduces over links between every two ranks.
#pragma once

#include <cstdint>

#include "kernels/collective/direct_exchange.h"
#include "kernels/collective/reduction.h"

namespace kb::kernels {

// A segment of a tile of every rank becomes their combination, at `out`; all ranks get the same bits.
//   blocks  each rank combines a block and sends it to all
//   tiles   all tiles to all ranks, which add them in the order of ranks
void combine_blocks(DirectExchange& x, const Span& segment, const Reduction& reduction);
void combine_tiles(DirectExchange& x, const Span& segment, const Reduction& reduction);
// Messages that a rank receives per chunk of a segment: of DirectExchange::segments().
inline std::int64_t combined_streams(std::int64_t ranks, bool blocks) {
  return blocks ? 2 : ranks;
}

}  // namespace kb::kernels
