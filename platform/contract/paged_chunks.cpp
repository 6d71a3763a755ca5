#include <algorithm>
#include <utility>

#include "platform/contract/paged_attention.h"

namespace kb::contract {
namespace {

constexpr std::int64_t kChunkRows = 64;  // query rows of a piece, unless one token has more

std::int64_t pieces_of(const ChunkSequence& sequence, std::int64_t most) {
  return (sequence.tokens + most - 1) / most;
}

// Tokens of a piece at most. Pieces are dealt out in rounds, one to each PE; of equal choices the one with the fewest
// rows on a PE, then the smallest.
std::int64_t tokens_of_pieces(const std::vector<ChunkSequence>& sequences, std::int64_t heads, std::int64_t kv_heads,
                              std::int64_t pes) {
  const HeadPes own(kv_heads, pes);
  const std::int64_t group = heads / kv_heads;
  std::int64_t best = 0;
  std::pair<std::int64_t, std::int64_t> least;  // cost, rows on a PE
  for (std::int64_t most = 1; most <= std::max<std::int64_t>(1, kChunkRows / group); ++most) {
    std::int64_t pieces = 0;
    for (const ChunkSequence& its : sequences) pieces += pieces_of(its, most);
    const std::int64_t rounds = (pieces * kv_heads / own.groups + own.width - 1) / own.width;
    const std::pair<std::int64_t, std::int64_t> cost{rounds * piece_cost(most * group), rounds * most * group};
    if (best != 0 && cost >= least) continue;
    best = most;
    least = cost;
  }
  return best;
}

}  // namespace

std::int64_t piece_cost(std::int64_t rows) {
  constexpr std::int64_t kArrayRows = 32, kKeys = 14, kArray = 31;
  return kKeys + (rows + kArrayRows - 1) / kArrayRows * kArray + rows;
}

std::vector<ChunkPiece> chunk_pieces(const std::vector<ChunkSequence>& sequences, std::int64_t heads,
                                     std::int64_t kv_heads, std::int64_t pes) {
  const std::int64_t most = tokens_of_pieces(sequences, heads, kv_heads, pes);
  std::vector<ChunkPiece> out;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const std::int64_t count = pieces_of(sequences[i], most);
    const EvenParts parts(sequences[i].tokens, count);
    for (std::int64_t piece = 0; piece < count; ++piece) {
      for (std::int64_t head = 0; head < kv_heads; ++head) {
        out.push_back({static_cast<std::int64_t>(i), head, parts.first(piece), parts.size(piece)});
      }
    }
  }
  return out;
}

std::vector<std::vector<ChunkPiece>> pieces_by_pe(const std::vector<ChunkSequence>& sequences, std::int64_t heads,
                                                  std::int64_t kv_heads, std::int64_t pes) {
  std::vector<std::vector<ChunkPiece>> out(static_cast<std::size_t>(pes));
  const std::vector<ChunkPiece> pieces = chunk_pieces(sequences, heads, kv_heads, pes);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    out[static_cast<std::size_t>(piece_owner(static_cast<std::int64_t>(i), kv_heads, pes))].push_back(pieces[i]);
  }
  return out;
}

std::int64_t chunk_query_rows(const std::vector<ChunkSequence>& sequences, std::int64_t heads, std::int64_t kv_heads,
                              std::int64_t pes) {
  std::int64_t most = 0;
  for (const std::vector<ChunkPiece>& pieces : pieces_by_pe(sequences, heads, kv_heads, pes)) {
    std::int64_t rows = 0;
    for (const ChunkPiece& piece : pieces) rows += piece.tokens * (heads / kv_heads);
    most = std::max(most, rows);
  }
  return most;
}

std::vector<ChunkSequence> chunk_sequences(const std::vector<PagedSequence>& sequences) {
  std::vector<ChunkSequence> out;
  out.reserve(sequences.size());
  for (const PagedSequence& its : sequences) out.push_back({its.first_row, its.tokens, its.context});
  return out;
}

PageRange seen_pages(const ChunkSequence& sequence, std::int64_t page, std::int64_t window) {
  const std::int64_t first = ChunkKeys(sequence, {}, window).first_seen(sequence.context - sequence.tokens) / page;
  return {first, (sequence.context + page - 1) / page - first};
}

std::int64_t staged_pages(const std::vector<PagedSequence>& sequences, std::int64_t page, std::int64_t window) {
  std::int64_t sum = 0;
  for (const PagedSequence& its : sequences) {
    sum += seen_pages({its.first_row, its.tokens, its.context}, page, window).count;
  }
  return sum;
}

std::vector<KeyRange> ChunkKeys::steps(std::int64_t page, std::int64_t keys, std::int64_t pe, std::int64_t pes) const {
  const std::int64_t begin = first_seen(position_), end = position_ + tokens_;
  std::vector<std::int64_t> counts;
  for (std::int64_t key = begin; key < end; key = (key / page + 1) * page) {
    counts.push_back(std::min(end, (key / page + 1) * page) - key);
  }
  std::vector<KeyRange> out;
  std::int64_t key = begin, whole = 0;
  std::size_t run = 0;
  for (const std::int64_t runs : runs_per_step(counts, keys, false)) {
    KeyRange step{key, 0};
    for (std::int64_t i = 0; i < runs; ++i) step.count += counts[run++];
    key += step.count;
    if (all_seen(step) && whole == static_cast<std::int64_t>(out.size())) ++whole;
    out.push_back(step);
  }
  std::rotate(out.begin(), out.begin() + pe * whole / pes, out.begin() + whole);
  return out;
}

}  // namespace kb::contract
