#include "sw/profile/attention_work.h"

#include <algorithm>

namespace kb::profile {

double chunk_work(const AttentionShape& shape, const std::vector<contract::ChunkSequence>& chunks) {
  constexpr double kLaunch = 27'000, kPiece = 9'000;
  const std::int64_t pes = shape.machine.cubes * shape.machine.pes, group = shape.heads / shape.kv_heads;
  double most = 0;
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
  return kLaunch + most;
}

}  // namespace kb::profile
