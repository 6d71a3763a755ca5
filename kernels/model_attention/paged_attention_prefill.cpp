#include "kernels/model_attention/paged_attention_prefill.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "kernels/attention/online_softmax.h"
#include "kernels/model_attention/chunk_pages.h"
#include "kernels/model_attention/chunk_rows.h"
#include "kernels/model_attention/paged_blocks.h"
#include "kernels/model_attention/paged_problem.h"
#include "kernels/model_attention/tile_columns.h"
#include "platform/contract/kernel.h"
#include "platform/contract/paged_attention.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;

constexpr std::int64_t kLeastBytes = 64;  // of a part that is worth a request of its own

struct PagedPrefillArguments {
  Ptr q, k_cache, v_cache, sequences, table, out;
  std::optional<Ptr> k_stage, v_stage;
  std::optional<double> scale;
  std::optional<std::int64_t> window;
};

using contract::ChunkPiece;
using contract::ChunkSequence;
using contract::KeyRange;

std::vector<ChunkSequence> read_sequences(Context& tl, const PagedPrefillArguments& args, const PagedSizes& s) {
  const std::vector<ChunkSequence> out = read_chunks(tl, args.sequences, s.m);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const ChunkSequence& its = out[i];
    tl.require(its.context >= its.tokens && Context::cdiv(its.context, s.page) <= args.table.shape()[1],
               fmt::format("sequence {}: {} tokens in a context of {} do not fit tables of {} pages of {}", i,
                           its.tokens, its.context, args.table.shape()[1], s.page));
  }
  return out;
}

struct NewTokens {
  ChunkSequence sequence;
  ChunkPiece piece;
};

// Attention of one piece. Query row i is token first + i / group, head i % group of the group.
class PieceAttention {
 public:
  PieceAttention(Context& tl, const PagedPrefillArguments& args, const PagedSizes& sizes, const ChunkPages& pages,
                 const NewTokens& tokens)
      : tl_(tl),
        args_(args),
        s_(sizes),
        pages_(pages),
        window_(args.window.value_or(0)),
        keys_(tokens.sequence, tokens.piece, window_),
        piece_(tokens.piece),
        row_(tokens.sequence.first_row + tokens.piece.first),
        rows_(sizes.group() * tokens.piece.tokens) {}

  // `from`: the queries of the piece.
  void run(Ptr from) {
    const tl::Future loaded = tl_.load_async(from, {rows_, s_.d});
    const std::int64_t pes = tl_.num_programs(0) * tl_.num_programs(1);
    const std::int64_t me = tl_.program_id(1) * tl_.num_programs(0) + tl_.program_id(0);
    const std::int64_t keys = keys_per_step(tl_, args_.k_cache);
    const std::vector<KeyRange> steps = keys_.steps(s_.page, keys, me, pes);
    PagedBlocks blocks(tl_, {pages_.k(), pages_.v(), pages_.heads_in_block()}, paged(steps), keys);
    const TensorHandle q = tl_.wait(loaded);
    OnlineSoftmax softmax(tl_, rows_, s_.d, s_.scale);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto step = static_cast<std::int64_t>(i);
      OnlineSoftmax::Source mask;
      if (!keys_.all_seen(steps[i])) mask = [this, &steps, i] { return seen(steps[i]); };
      softmax.attend(
          q, steps[i].count, [&] { return blocks.k(step); }, [&] { return blocks.v(step); }, mask);
    }
    store(softmax.result(Dtype::f32));
  }

 private:
  // Where the keys of the steps lie.
  std::vector<PagedStep> paged(const std::vector<KeyRange>& steps) const {
    std::vector<PagedStep> out;
    for (const KeyRange& step : steps) {
      out.push_back({pages_.heads_in_block() == 1 ? 0 : piece_.kv_head, {}});
      for (std::int64_t key = step.first; key < step.first + step.count;) {
        const std::int64_t page = key / s_.page, start = page * s_.page;
        const std::int64_t end = std::min(step.first + step.count, start + s_.page);
        out.back().runs.push_back({pages_.block(piece_.sequence, page, piece_.kv_head), key - start, end - start});
        key = end;
      }
    }
    return out;
  }

  // i32 (rows, keys): 1 where the token of a row sees the key.
  TensorHandle seen(const KeyRange& keys) {
    const TensorHandle token =
        tl_.view(tl_.arange(keys_.position(), keys_.position() + piece_.tokens), 0, {piece_.tokens, 1, 1});
    const TensorHandle tokens = tl_.view(tl_.add(token, tl_.zeros({1, s_.group(), 1}, Dtype::i32)), 0, {rows_, 1});
    const TensorHandle key = tl_.view(tl_.arange(keys.first, keys.first + keys.count), 0, {1, keys.count});
    TensorHandle not_later = tl_.le(key, tokens);
    if (window_ == 0) return not_later;
    return tl_.bit_and(not_later, tl_.gt(key, tl_.sub(tokens, window_)));
  }

  // Stores the rows (tokens, group d) to their columns of the tokens: with one command where the parts of a row in the
  // cubes are multiples of some length, otherwise with one per cube.
  void store(const TensorHandle& result) {
    const std::int64_t first = piece_.kv_head * s_.group() * s_.d, width = s_.group() * s_.d;
    const std::vector<TilePiece> pieces = tile_pieces(tl_, args_.out, first, width);
    const auto item = static_cast<std::int64_t>(item_size(args_.out.dtype()));
    std::int64_t unit = s_.d;
    for (const TilePiece& piece : pieces) {
      for (const std::int64_t number : {piece.at.offset_bytes() / item, piece.row_stride, piece.columns}) {
        unit = std::gcd(unit, number);
      }
    }
    if (unit * item < kLeastBytes) return store_each(result);
    std::vector<TensorHandle> parts;
    std::vector<std::int64_t> places;
    for (const TilePiece& piece : pieces) {
      for (std::int64_t column = piece.column; column < piece.column + piece.columns; column += unit) {
        for (std::int64_t token = 0; token < piece_.tokens; ++token) {
          parts.push_back(tl_.view(result, token * width + column - first, {unit}));
          const Ptr to = piece.at + (row_ + token) * piece.row_stride + (column - piece.column);
          places.push_back(to.offset_bytes() / item / unit);
        }
      }
    }
    const auto count = static_cast<std::int64_t>(places.size());
    tl_.scatter(args_.out, tl::Indices(std::move(places)), tl_.view(tl_.concat(parts), 0, {count, unit}));
  }

  void store_each(const TensorHandle& result) {
    const std::int64_t first = piece_.kv_head * s_.group() * s_.d, width = s_.group() * s_.d;
    const TensorHandle values = tl_.view(result, 0, {piece_.tokens, width});
    for (const TilePiece& piece : tile_pieces(tl_, args_.out, first, width)) {
      const TensorHandle part = columns_of(tl_, values, piece.column - first, piece.columns);
      tl_.store_async(piece.at + row_ * piece.row_stride, part, piece_.tokens == 1 ? 0 : piece.row_stride);
    }
    tl_.wait();
  }

  Context& tl_;
  const PagedPrefillArguments& args_;
  const PagedSizes& s_;
  const ChunkPages& pages_;
  std::int64_t window_;
  contract::ChunkKeys keys_;
  ChunkPiece piece_;
  std::int64_t row_, rows_;  // row of the first token; number of query rows
};

void check_chunk_lists(Context& tl, const PagedPrefillArguments& args) {
  tl.require_matrices({args.sequences, args.table});
  tl.require(args.sequences.shape()[1] == 4 && args.table.shape()[0] == args.sequences.shape()[0],
             fmt::format("{} and {} must be (sequences, 4) and (sequences, pages)", shape_text(args.sequences),
                         shape_text(args.table)));
  tl.require(args.sequences.dtype() == Dtype::i32 && args.table.dtype() == Dtype::i32 && args.sequences.row_major() &&
                 args.table.row_major(),
             "sequences and table must be i32, whole or split by rows");
  tl.require(args.window.value_or(0) >= 0, "window is at least 0");
}

// K/V heads with which the PEs of this cube attend.
std::vector<std::int64_t> heads_of_cube(Context& tl, const std::vector<std::vector<ChunkPiece>>& pieces) {
  std::set<std::int64_t> heads;
  const std::int64_t pes = tl.num_programs(0), first = tl.program_id(1) * pes;
  for (std::int64_t pe = first; pe < first + pes; ++pe) {
    for (const ChunkPiece& its : pieces[static_cast<std::size_t>(pe)]) heads.insert(its.kv_head);
  }
  return {heads.begin(), heads.end()};
}

void paged_attention_prefill(Context& tl, const PagedPrefillArguments& args) {
  const PagedSizes sizes = paged_sizes(tl, {args.q, args.k_cache, args.v_cache, args.out}, args.scale);
  check_chunk_lists(tl, args);
  const std::int64_t pes = tl.num_programs(0) * tl.num_programs(1);
  const std::int64_t me = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0);
  const std::vector<ChunkSequence> sequences = read_sequences(tl, args, sizes);
  const std::int64_t rows = contract::chunk_query_rows(sequences, sizes.heads, sizes.kv_heads, pes);
  tl.require(args.q.shape()[0] == pes && args.q.shape()[1] >= rows,
             fmt::format("{} must be ({}, {}, {}), a row for each PE", shape_text(args.q), pes, rows, sizes.d));
  const auto pieces = contract::pieces_by_pe(sequences, sizes.heads, sizes.kv_heads, pes);
  const ChunkTensors tensors{args.k_cache, args.v_cache, args.table, args.k_stage, args.v_stage};
  ChunkPages pages(tl, tensors, sequences, args.window.value_or(0));
  if (args.k_stage) {
    pages.stage(heads_of_cube(tl, pieces));
    tl.barrier(tl::BarrierScope::cube);
  }
  Ptr queries = args.q + me * args.q.shape()[1] * sizes.d;
  for (const ChunkPiece& piece : pieces[static_cast<std::size_t>(me)]) {
    const tl::Scratch scope(tl);
    PieceAttention(tl, args, sizes, pages, {sequences[static_cast<std::size_t>(piece.sequence)], piece}).run(queries);
    queries = queries + piece.tokens * sizes.group() * sizes.d;
  }
}

}  // namespace

contract::Kernel paged_attention_prefill_kernel() {
  using Args = PagedPrefillArguments;
  return tl::make_kernel("paged_attention_prefill", "causal attention of chunks of tokens over their paged caches",
                         tl::Parameters<Args>{{"q", &Args::q},
                                              {"k_cache", &Args::k_cache},
                                              {"v_cache", &Args::v_cache},
                                              {"sequences", &Args::sequences},
                                              {"table", &Args::table},
                                              {"out", &Args::out},
                                              {"k_stage", &Args::k_stage},
                                              {"v_stage", &Args::v_stage},
                                              {"scale", &Args::scale},
                                              {"window", &Args::window}},
                         paged_attention_prefill);
}

}  // namespace kb::kernels
