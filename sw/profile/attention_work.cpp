#include "sw/profile/attention_work.h"

#include <algorithm>

#include "platform/model/batch.h"

namespace kb::profile {

double chunk_work(const AttentionShape& shape, const std::vector<contract::ChunkSequence>& chunks) {
  constexpr double kCopies = 42;                       // rows that take as long as the copies of the keys do
  constexpr double kLaunch = 15'000, kPiece = 10'000;  // keys x rows
  constexpr std::int64_t kPage = model::kCacheBlock;
  const std::int64_t pes = shape.machine.cubes * shape.machine.pes, group = shape.heads / shape.kv_heads;
  double keys = 0, most = 0;
  for (const contract::ChunkSequence& its : chunks) {
    keys += static_cast<double>(contract::seen_pages(its, kPage, shape.window).count * kPage);
  }
  for (const auto& pieces : contract::pieces_by_pe(chunks, shape.heads, shape.kv_heads, pes)) {
    double work = kPiece * static_cast<double>(pieces.size());
    for (const contract::ChunkPiece& piece : pieces) {
      const contract::ChunkKeys seen(chunks[static_cast<std::size_t>(piece.sequence)], piece, shape.window);
      const std::int64_t position = seen.position();
      work += static_cast<double>(position + piece.tokens - seen.first_seen(position)) *
              static_cast<double>(contract::piece_cost(piece.tokens * group));
    }
    most = std::max(most, work);
  }
  return kLaunch + keys * kCopies + most;
}

}  // namespace kb::profile
