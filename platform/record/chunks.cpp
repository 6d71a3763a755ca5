#include "platform/record/chunks.h"

namespace kb::record {

void ChunkPool::add_slab() {
  constexpr std::size_t kChunks = 512;
  slabs_.emplace_back(new Chunk[kChunks]);  // not cleared, as make_unique does
  for (std::size_t i = kChunks; i-- > 0;) give_back(&slabs_.back()[i], &slabs_.back()[i]);
}

}  // namespace kb::record
