#include "sw/profile/attention_work.h"

#include <algorithm>

namespace kb::profile {

namespace {

// ns on the reference machine, for heads of 128 numbers.
constexpr double kLaunch = 770, kPiece = 650;
constexpr double kStaged = 2.6;                               // a token of a context, copied to each cube
constexpr double kArray = 2.4, kRow = 0.032, kMasked = 0.03;  // a key: of 32 rows, of a row
constexpr std::int64_t kArrayRows = 32, kStepKeys = 256;

double piece_work(const contract::ChunkKeys& seen, std::int64_t tokens, std::int64_t rows) {
  const std::int64_t position = seen.position(), end = position + tokens;
  const auto keys = static_cast<double>(end - seen.first_seen(position));
  // Steps that some of its tokens do not see whole are masked.
  const auto masked = static_cast<double>(end - (position + 1) / kStepKeys * kStepKeys);
  const auto blocks = static_cast<double>((rows + kArrayRows - 1) / kArrayRows);
  const auto all = static_cast<double>(rows);
  return kPiece + keys * (kArray * blocks + kRow * all) + masked * kMasked * all;
}

}  // namespace

double chunk_work(const AttentionShape& shape, const std::vector<contract::ChunkSequence>& chunks) {
  const std::int64_t pes = shape.machine.cubes * shape.machine.pes, group = shape.heads / shape.kv_heads;
  double most = 0, staged = 0;
  for (const auto& pieces : contract::pieces_by_pe(chunks, shape.heads, shape.kv_heads, pes)) {
    double work = 0;
    for (const contract::ChunkPiece& piece : pieces) {
      const contract::ChunkKeys seen(chunks[static_cast<std::size_t>(piece.sequence)], piece, shape.window);
      work += piece_work(seen, piece.tokens, piece.tokens * group);
    }
    most = std::max(most, work);
  }
  for (const contract::ChunkSequence& chunk : chunks) {
    const std::int64_t first = contract::ChunkKeys(chunk, {}, shape.window).first_seen(chunk.context - chunk.tokens);
    staged += kStaged * static_cast<double>(chunk.context - first);
  }
  return kLaunch + staged + most;
}

}  // namespace kb::profile
