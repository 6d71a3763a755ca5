// What the host and the kernels of paged attention agree on: where blocks lie, and who computes what (K-220 .. K-235).
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "platform/base/even_parts.h"

namespace kb::contract {

struct AttentionMachine {
  std::int64_t cubes = 1, pes = 1;  // pes: of a cube
};

// The PEs of a cube as they share K/V heads in decode: groups of `width` neighbours, each with equally many heads.
struct HeadGroups {
  std::int64_t count, width;
  HeadGroups(std::int64_t kv_heads, std::int64_t pes) : count(std::gcd(kv_heads, pes)), width(pes / count) {}
};

// The cache of a layer: `blocks` blocks of `page` tokens, split over all cubes and then over their PEs.
struct PagedCache {
  std::int64_t blocks = 0, page = 16;
  AttentionMachine machine;

  // PE that has a block in its slice, counted over the whole SIP: cube * pes + PE.
  std::int64_t owner(std::int64_t block) const;
};

// New tokens of a sequence: rows [first_row, first_row + tokens) of the step. `context` counts all tokens, with the new
// ones; page i of the sequence is block blocks[i].
struct PagedSequence {
  std::int64_t first_row = 0, tokens = 1, context = 1;
  std::vector<std::int64_t> blocks;
};

// Row-major integers for a tensor of i32.
struct IntegerMatrix {
  std::int64_t rows = 0, cols = 0;
  std::vector<std::int64_t> values;
};

// The canonical table: pages go round over all PEs of the SIP, over the cubes first, and a sequence goes on where the
// one before it ended. Program Error VALUE_ERROR when the cache has too few blocks.
std::vector<std::vector<std::int64_t>> canonical_tables(const std::vector<std::int64_t>& contexts,
                                                        const PagedCache& cache);

// (1, rows) each: position of every new token, and its slot block * page + offset. Rows of no sequence have position 0
// and slot -1.
IntegerMatrix token_positions(const std::vector<PagedSequence>& sequences, std::int64_t rows);
IntegerMatrix token_slots(const std::vector<PagedSequence>& sequences, const PagedCache& cache, std::int64_t rows);

// For paged_attention_prefill: rows (first_row, tokens, context, 0) and the tables, filled up with 0.
IntegerMatrix chunk_rows(const std::vector<PagedSequence>& sequences);
IntegerMatrix chunk_tables(const std::vector<PagedSequence>& sequences);

// The columns of the result that each cube gets, and a record: what a cube needs of one token, from the heads of one
// group, from one other cube or PE: un-normalised columns in f32, then maximum and sum of each of their heads.
class AttentionRecord {
 public:
  // Groups of heads: HeadGroups::count.
  AttentionRecord(std::int64_t heads, std::int64_t d, std::int64_t cubes, std::int64_t groups);

  std::int64_t first_column(std::int64_t cube) const { return columns_.first(cube); }
  std::int64_t columns(std::int64_t cube) const { return columns_.size(cube); }
  // Columns of a cube that a group has; none: size 0.
  std::int64_t first_column(std::int64_t group, std::int64_t cube) const {
    return std::max(columns_.first(cube), group * group_columns_);
  }
  std::int64_t columns(std::int64_t group, std::int64_t cube) const {
    const std::int64_t end = std::min(columns_.first(cube + 1), (group + 1) * group_columns_);
    return std::max<std::int64_t>(0, end - first_column(group, cube));
  }
  std::int64_t heads(std::int64_t group, std::int64_t cube) const;  // that these columns are of
  // Groups that have columns of a cube: groups(cube), from first_group(cube) on.
  std::int64_t first_group(std::int64_t cube) const { return columns_.first(cube) / group_columns_; }
  std::int64_t groups(std::int64_t cube) const {
    return columns(cube) == 0 ? 0 : (columns_.first(cube + 1) - 1) / group_columns_ - first_group(cube) + 1;
  }
  std::int64_t most_groups() const { return most_groups_; }  // of a cube
  std::int64_t size() const { return size_; }                // f32 numbers

 private:
  EvenParts columns_;
  std::int64_t d_, group_columns_, most_groups_ = 0, size_ = 0;
};

// Who merges after decode. PE j of each cube gets the records of the sequences parts().first(j) .. from all cubes, for
// the columns of its cube. Before that, PEs of a group that have shared a sequence merge what they have computed: PE j
// of the group the sequences group_parts().first(j) ..; PEs j + group_parts * helper share the destination cubes.
class DecodeGrid {
 public:
  DecodeGrid(std::int64_t sequences, const AttentionMachine& machine, const HeadGroups& groups)
      : sequences_(sequences), machine_(machine), width_(groups.width) {}

  std::int64_t row_parts() const { return std::min(sequences_, machine_.pes); }
  EvenParts parts() const { return {sequences_, row_parts()}; }
  std::int64_t group_row_parts() const { return std::min(sequences_, width_); }
  EvenParts group_parts() const { return {sequences_, group_row_parts()}; }
  std::int64_t helpers(std::int64_t part) const { return (width_ - part + group_row_parts() - 1) / group_row_parts(); }
  // What a PE has computed alone is complete for its cube; else there is a slot for it.
  bool direct() const { return sequences_ >= width_; }
  // With direct(), only the first and the last sequence of a PE can be shared with others.
  std::int64_t slots() const { return direct() ? (width_ == 1 ? 0 : 2) : sequences_; }
  std::int64_t slot(std::int64_t segment) const { return direct() ? std::min<std::int64_t>(segment, 1) : segment; }
  // Number of records that a PE has room for: slots of `cubes` records each, then those from each cube.
  std::int64_t slot_records() const { return slots() * machine_.cubes; }
  std::int64_t records(const AttentionRecord& record) const {
    return slot_records() + machine_.cubes * parts().largest() * record.most_groups();
  }
  // Place of the record of a part's sequence `row` from a cube: that of the first group, the others follow.
  std::int64_t record_from(const AttentionRecord& record, std::int64_t cube, std::int64_t part,
                           std::int64_t row) const {
    return slot_records() + (cube * parts().size(part) + row) * record.most_groups();
  }

 private:
  std::int64_t sequences_;
  AttentionMachine machine_;
  std::int64_t width_;
};

// Numbers in a row of the scratch tensor (cubes * pes, length) of f32 that paged_attention_decode needs.
std::int64_t decode_scratch_length(std::int64_t sequences, std::int64_t heads, std::int64_t kv_heads, std::int64_t d,
                                   const AttentionMachine& machine);

// Work lists of paged_attention_decode, one row per PE: pages of a sequence that lie in one cube are shared among the
// PEs of each group of heads, so that all have equally many, and read their own blocks where possible. A token sees
// `window` keys with its own; 0: all. Format of a row:
//   sequences, pages,
//   per sequence: row, first PE of the group with pages of it in this cube, number of such PEs, slot on the first one,
//   per page: sequence, block, first and end of the keys in the block.
// Program Error VALUE_ERROR for a sequence with several new tokens, or with a table that is too short or has blocks
// outside of the cache.
IntegerMatrix decode_work(const std::vector<PagedSequence>& sequences, const PagedCache& cache, std::int64_t kv_heads,
                          std::int64_t window);

// Keys that a PE with so much scratch loads and computes with together: whole pages. key_bytes: of a key of one head.
std::int64_t keys_per_step(std::int64_t page, std::int64_t key_bytes, std::int64_t scratch_bytes);
// Divides runs of keys, which have these counts, into steps of up to `keys` keys; the result is the number of runs of
// each step. The product with the values of a last step can begin only when they are there: `short_last` divides it.
std::vector<std::int64_t> runs_per_step(const std::vector<std::int64_t>& counts, std::int64_t keys, bool short_last);

// --- Chunks of new tokens, whose rows are dealt out to the PEs.

struct ChunkSequence {
  std::int64_t first_row = 0, tokens = 0, context = 0;
};
// New tokens [first, first + tokens) of a sequence, for the query heads of one K/V head.
struct ChunkPiece {
  std::int64_t sequence = 0, kv_head = 0, first = 0, tokens = 0;
};
// What a piece of so many query rows takes per key, in the time of a row: a piece also loads its keys, and the MAC
// array takes its rows in blocks. Measured on the reference machine, 128 PEs: 32 rows over 1024 keys take 5.5 us,
// 36 8.0.
std::int64_t piece_cost(std::int64_t rows);
// Pieces of a sequence differ by one token at most; later ones see more keys. They are as large as makes the PEs
// end soonest (K-232).
std::vector<ChunkPiece> chunk_pieces(const std::vector<ChunkSequence>& sequences, std::int64_t heads,
                                     std::int64_t kv_heads, std::int64_t pes);
// How K/V heads share the PEs of a SIP: each has `width` PEs of its own where these divide evenly, so that a cube needs
// few heads; otherwise all PEs have all heads.
struct HeadPes {
  std::int64_t groups, width;
  HeadPes(std::int64_t kv_heads, std::int64_t pes) : groups(pes % kv_heads == 0 ? kv_heads : 1), width(pes / groups) {}
};
// PE of the SIP, of `pes`, that computes a piece, by its number in chunk_pieces(). Pieces are dealt out forwards and
// backwards in turns: the keys of each PE's pieces are about equally many.
inline std::int64_t piece_owner(std::int64_t piece, std::int64_t kv_heads, std::int64_t pes) {
  const HeadPes own(kv_heads, pes);
  const std::int64_t number = piece / own.groups, place = number % own.width;
  return piece % own.groups * own.width + (number / own.width % 2 == 0 ? place : own.width - 1 - place);
}
// The pieces of each PE, in order.
std::vector<std::vector<ChunkPiece>> pieces_by_pe(const std::vector<ChunkSequence>& sequences, std::int64_t heads,
                                                  std::int64_t kv_heads, std::int64_t pes);
// Query rows of the PE with the most: of its pieces one after the other, (tokens, heads of the group) each.
std::int64_t chunk_query_rows(const std::vector<ChunkSequence>& sequences, std::int64_t heads, std::int64_t kv_heads,
                              std::int64_t pes);
std::vector<ChunkSequence> chunk_sequences(const std::vector<PagedSequence>& sequences);

// Pages that the new tokens of a sequence see: [first, first + count).
struct PageRange {
  std::int64_t first = 0, count = 0;
};
PageRange seen_pages(const ChunkSequence& sequence, std::int64_t page, std::int64_t window);
// Pages of all sequences together, which the staging tensors of paged_attention_prefill have room for.
std::int64_t staged_pages(const std::vector<PagedSequence>& sequences, std::int64_t page, std::int64_t window);

struct KeyRange {
  std::int64_t first = 0, count = 0;
};
// How a PE goes over the keys of a piece.
class ChunkKeys {
 public:
  ChunkKeys(const ChunkSequence& sequence, const ChunkPiece& piece, std::int64_t window)
      : position_(sequence.context - sequence.tokens + piece.first), tokens_(piece.tokens), window_(window) {}

  std::int64_t position() const { return position_; }  // of the first token
  // First key that the token at a position sees.
  std::int64_t first_seen(std::int64_t position) const {
    return window_ > 0 ? std::max<std::int64_t>(0, position + 1 - window_) : 0;
  }
  // Whether all tokens see all of these keys.
  bool all_seen(const KeyRange& keys) const {
    return keys.first + keys.count <= position_ + 1 && keys.first >= first_seen(position_ + tokens_ - 1);
  }
  // Steps over all keys that a token sees, of up to `keys` keys, which end where pages end. PEs begin with different
  // steps, so that they do not all read the same slice.
  std::vector<KeyRange> steps(std::int64_t page, std::int64_t keys, std::int64_t pe, std::int64_t pes) const;

 private:
  std::int64_t position_, tokens_, window_;
};

inline constexpr std::int64_t kPagedAhead = 2;  // steps whose loads are under way during a step
inline constexpr std::int64_t kDecodeHead = 2, kDecodeSequence = 4, kDecodePage = 4;  // integers of each part of a row

}  // namespace kb::contract
