// What host and kernels of paged attention agree on.
#include "platform/contract/paged_attention.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <set>
#include <tuple>

#include "platform/base/error.h"

namespace kb::contract {
namespace {

using Integer = std::int64_t;
using Table = std::vector<Integer>;

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "VALUE_ERROR");
    return error.what();
  }
  return "no error";
}

TEST(EvenParts, FirstOnesAreLonger) {
  const EvenParts parts(11, 4);
  EXPECT_EQ((Table{parts.size(0), parts.size(1), parts.size(2), parts.size(3)}), (Table{3, 3, 3, 2}));
  for (const Integer total : {0, 1, 3, 4, 11}) {
    const EvenParts some(total, 4);
    EXPECT_EQ(some.first(4), total);
    for (Integer i = 0; i < total; ++i) {
      const Integer part = some.part_of(i);
      EXPECT_TRUE(some.first(part) <= i && i < some.first(part + 1)) << total << " " << i;
    }
  }
}

// 4 PEs of 3 blocks each: cube 0 has blocks 0 to 5, cube 1 6 to 11.
TEST(PagedAttention, CanonicalTablesGoRoundOverCubesFirst_K228) {
  const PagedCache cache{12, 16, {2, 2}};
  const auto tables = canonical_tables({80, 1, 33}, cache);
  EXPECT_EQ(tables[0], (Table{0, 6, 3, 9, 1}));
  EXPECT_EQ(tables[1], (Table{7}));
  EXPECT_EQ(tables[2], (Table{4, 10, 2}));
  EXPECT_EQ(refusal([&] { canonical_tables({193}, cache); }), "13 blocks of 16 tokens are needed; the cache has 12");
}

TEST(PagedAttention, CanonicalTablesUseEachBlockOnceAndAllSlicesAlike_K228) {
  EXPECT_TRUE(rc::check("machines, caches", [] {
    const PagedCache cache{
        *rc::gen::inRange<Integer>(1, 90), 4, {*rc::gen::inRange<Integer>(1, 5), *rc::gen::inRange<Integer>(1, 5)}};
    std::vector<Integer> contexts;
    Integer left = cache.blocks;
    while (left > 0 && contexts.size() < 6) {
      const Integer pages = *rc::gen::inRange<Integer>(1, left + 1);
      contexts.push_back(pages * 4 - 1);
      left -= pages;
    }
    std::map<Integer, Integer> used, room;
    for (Integer block = 0; block < cache.blocks; ++block) ++room[cache.owner(block)];
    std::set<Integer> blocks;
    for (const Table& table : canonical_tables(contexts, cache)) {
      for (const Integer block : table) {
        RC_ASSERT(blocks.insert(block).second);
        ++used[cache.owner(block)];
      }
    }
    Integer most = 0;
    for (const auto& [pe, count] : used) most = std::max(most, count);
    for (const auto& [pe, count] : room) RC_ASSERT(used[pe] >= std::min(count, most - 1));
  }));
}

TEST(PagedAttention, PositionsAndSlots_K220) {
  const PagedCache cache{8, 4, {1, 2}};
  const std::vector<PagedSequence> sequences{{1, 3, 6, {7, 2}}, {4, 1, 1, {5}}};
  EXPECT_EQ(token_positions(sequences, 6).values, (Table{0, 3, 4, 5, 0, 0}));
  EXPECT_EQ(token_slots(sequences, cache, 6).values, (Table{-1, 31, 8, 9, 20, -1}));
  EXPECT_EQ(refusal([&] {
              token_slots({{0, 1, 5, {1}}}, cache, 1);
            }),
            "sequence 0: 5 tokens need 2 blocks of 4; the table has 1");
  EXPECT_EQ(refusal([&] {
              token_slots({{0, 1, 5, {1, 8}}}, cache, 1);
            }),
            "sequence 0: page 1 is block 8; the cache has blocks 0 to 7");
  EXPECT_EQ(refusal([&] { token_slots({{0, 6, 5, {1, 2}}}, cache, 6); }), "sequence 0: 6 new tokens in a context of 5");
}

// Every key that is seen is in one list of each group of heads, with PEs that have equally many pages (K-226).
TEST(PagedAttention, WorkListsCoverEachKeyOnce_K226) {
  EXPECT_TRUE(rc::check("machines, sequences, windows", [] {
    const PagedCache cache{400, 5, {*rc::gen::inRange<Integer>(1, 4), *rc::gen::inRange<Integer>(1, 4)}};
    const Integer window = *rc::gen::inRange<Integer>(0, 60);
    std::vector<Integer> contexts;
    for (Integer i = *rc::gen::inRange<Integer>(1, 8); i > 0; --i)
      contexts.push_back(*rc::gen::inRange<Integer>(1, 200));
    const auto tables = canonical_tables(contexts, cache);
    std::vector<PagedSequence> sequences;
    for (std::size_t i = 0; i < tables.size(); ++i) sequences.push_back({Integer(i), 1, contexts[i], tables[i]});
    const Integer kv_heads = *rc::gen::inRange<Integer>(1, 7);
    const HeadGroups groups(kv_heads, cache.machine.pes);
    const IntegerMatrix work = decode_work(sequences, cache, kv_heads, window);
    std::map<std::tuple<Integer, Integer, Integer>, Integer> seen;  // group of heads, sequence and slot
    std::map<Integer, std::set<Integer>> pages_of_cube;
    for (Integer row = 0; row < work.rows; ++row) {
      const Integer* list = &work.values[static_cast<std::size_t>(row * work.cols)];
      pages_of_cube[row / cache.machine.pes].insert(list[1]);
      list += kDecodeHead + list[0] * kDecodeSequence;
      const Integer pages = work.values[static_cast<std::size_t>(row * work.cols + 1)];
      for (Integer i = 0; i < pages; ++i, list += kDecodePage) {
        RC_ASSERT(cache.owner(list[1]) / cache.machine.pes == row / cache.machine.pes);
        for (Integer key = list[2]; key < list[3]; ++key) {
          ++seen[{row % cache.machine.pes / groups.width, list[0], list[1] * cache.page + key}];
        }
      }
    }
    std::size_t keys = 0;
    for (const PagedSequence& its : sequences) {
      for (Integer key = window > 0 ? std::max<Integer>(0, its.context - window) : 0; key < its.context; ++key) {
        const Integer slot = its.blocks[static_cast<std::size_t>(key / cache.page)] * cache.page + key % cache.page;
        for (Integer group = 0; group < groups.count; ++group) {
          RC_ASSERT((seen[{group, its.first_row, slot}] == 1));
          ++keys;
        }
      }
    }
    RC_ASSERT(seen.size() == keys);
    for (const auto& [cube, counts] : pages_of_cube) RC_ASSERT(*counts.rbegin() - *counts.begin() <= 1);
  }));
}

TEST(PagedAttention, DecodeHasOneTokenPerSequence) {
  const PagedCache cache{8, 4, {1, 2}};
  EXPECT_EQ(refusal([&] {
              decode_work({{0, 2, 5, {1, 2}}}, cache, 1, 0);
            }),
            "sequence 0 has 2 new tokens; decode has one per sequence");
  EXPECT_EQ(refusal([&] { decode_work({}, cache, 1, 0); }), "decode needs a sequence");
}

// Steps of a chunk cover what its tokens see, each key once, whatever PE goes over them (K-232).
TEST(PagedAttention, StepsOfAChunkCoverWhatItsTokensSee_K232) {
  EXPECT_TRUE(rc::check("chunks, windows", [] {
    const auto between = [](Integer low, Integer high) { return *rc::gen::inRange<Integer>(low, high + 1); };
    const Integer tokens = between(2, 40), past = between(0, 90), window = between(0, 50), pes = between(1, 9);
    const std::vector<ChunkSequence> sequences{{0, tokens, tokens + past}};
    std::vector<bool> computed(static_cast<std::size_t>(tokens));
    for (const ChunkPiece& piece : chunk_pieces(sequences, 4, 1, pes)) {
      for (Integer i = 0; i < piece.tokens; ++i) {
        RC_ASSERT(!computed[static_cast<std::size_t>(piece.first + i)]);
        computed[static_cast<std::size_t>(piece.first + i)] = true;
      }
      const ChunkKeys keys(sequences[0], piece, window);
      std::set<Integer> seen;
      for (const KeyRange& step : keys.steps(7, 21, between(0, pes - 1), pes)) {
        for (Integer key = step.first; key < step.first + step.count; ++key) RC_ASSERT(seen.insert(key).second);
      }
      const Integer first = past + piece.first;
      RC_ASSERT(*seen.begin() == (window > 0 ? std::max<Integer>(0, first + 1 - window) : 0));
      RC_ASSERT(static_cast<Integer>(seen.size()) == first + piece.tokens - *seen.begin());
    }
    for (const bool each : computed) RC_ASSERT(each);
  }));
}

// Tokens 0 to 511 of 64 query and 8 K/V heads: each head has 16 PEs of its own, with keys in equal numbers.
TEST(PagedAttention, PiecesOfAHeadHavePesOfTheirOwn_K232) {
  constexpr std::int64_t kPes = 128, kHeads = 8;
  const std::vector<ChunkSequence> chunk{{0, 512, 512}};
  const auto by_pe = pieces_by_pe(chunk, 64, kHeads, kPes);
  EXPECT_EQ(chunk_query_rows(chunk, 64, kHeads, kPes), 512 * 64 / kPes);
  for (std::int64_t pe = 0; pe < kPes; ++pe) {
    std::int64_t tokens = 0, last_keys = 0;
    for (const ChunkPiece& piece : by_pe[static_cast<std::size_t>(pe)]) {
      EXPECT_EQ(piece.kv_head, pe / (kPes / kHeads));
      tokens += piece.tokens;
      last_keys += piece.first + piece.tokens;
    }
    EXPECT_EQ(tokens, 32) << pe;
    EXPECT_EQ(last_keys, 2 * (512 + 8)) << pe;  // two pairs of an early and a late piece
  }
}

// 16 PEs for each of 8 K/V heads with 4 query heads: the pieces that a PE has, and the tokens of the largest one. 65
// tokens take little longer than 64: no PE goes over the keys twice.
TEST(PagedAttention, PiecesAreAsLargeAsMakesThePesEndSoonest_K232) {
  struct Case {
    std::int64_t tokens;
    std::size_t pieces;
    std::int64_t most;
  };
  for (const Case& it : std::vector<Case>{{1, 1, 1},
                                          {16, 1, 1},
                                          {17, 1, 2},
                                          {64, 1, 4},
                                          {65, 1, 5},
                                          {129, 1, 9},
                                          {256, 1, 16},
                                          {257, 3, 6},
                                          {512, 2, 16}}) {
    std::size_t pieces = 0;
    std::int64_t most = 0, all = 0;
    for (const auto& own : pieces_by_pe({{0, it.tokens, it.tokens}}, 32, 8, 128)) {
      pieces = std::max(pieces, own.size());
      for (const ChunkPiece& piece : own) {
        most = std::max(most, piece.tokens);
        all += piece.tokens;
      }
    }
    EXPECT_EQ(pieces, it.pieces) << it.tokens;
    EXPECT_EQ(most, it.most) << it.tokens;
    EXPECT_EQ(all, it.tokens * 8);
  }
}

// Pieces of a sequence differ by one token, and a few left over are no piece of their own.
TEST(PagedAttention, PiecesOfASequenceAreEquallyLarge_K232) {
  EXPECT_TRUE(rc::check("chunks", [] {
    const auto between = [](Integer low, Integer high) { return *rc::gen::inRange<Integer>(low, high + 1); };
    const Integer group = between(1, 80), kv_heads = between(1, 9), pes = between(1, 40);
    const std::vector<ChunkSequence> sequences{{0, between(1, 700), 900}, {700, between(1, 90), 90}};
    std::map<Integer, std::pair<Integer, Integer>> sizes;  // by sequence: least, most
    for (const ChunkPiece& piece : chunk_pieces(sequences, group * kv_heads, kv_heads, pes)) {
      auto& [least, most] = sizes.try_emplace(piece.sequence, piece.tokens, piece.tokens).first->second;
      least = std::min(least, piece.tokens);
      most = std::max(most, piece.tokens);
    }
    for (const auto& [sequence, range] : sizes) {
      RC_ASSERT(range.first >= 1);
      RC_ASSERT(range.second - range.first <= 1);
      RC_ASSERT(range.second == 1 || range.second * group <= 64);
    }
  }));
}

// Heads that do not divide the PEs share them; every piece has one owner.
TEST(PagedAttention, PiecesOfUnevenHeadsAreDealtOutToAllPes_K232) {
  const std::vector<ChunkSequence> chunks{{0, 20, 30}, {20, 7, 7}};
  const auto by_pe = pieces_by_pe(chunks, 6, 3, 8);
  std::size_t count = 0;
  for (const auto& pieces : by_pe) count += pieces.size();
  EXPECT_EQ(count, chunk_pieces(chunks, 6, 3, 8).size());
  EXPECT_EQ(piece_owner(7, 3, 8), 7);
  EXPECT_EQ(piece_owner(8, 3, 8), 7);
  EXPECT_EQ(piece_owner(15, 3, 8), 0);
}

}  // namespace
}  // namespace kb::contract
