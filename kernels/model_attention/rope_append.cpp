#include "kernels/model_attention/rope_append.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <vector>

#include "kernels/model/column_tiles.h"
#include "kernels/model_attention/chunk_rows.h"
#include "kernels/model_attention/tile_columns.h"
#include "platform/base/checked.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Future;
using tl::Ptr;
using tl::TensorHandle;
using Order = TileLoad::Order;

constexpr std::int64_t kRopeRows = 128;             // tokens at a time, at most
constexpr std::int64_t kRotatedBytes = 64 << 10;    // of their heads in f32
constexpr std::int64_t kUnderWayBytes = 128 << 10;  // of heads whose loads are under way together

std::int64_t rows_at_once(std::int64_t heads, std::int64_t d) {
  const std::int64_t row_bytes = std::max<std::int64_t>(1, heads) * d * 4;
  return std::min(kRopeRows, std::max<std::int64_t>(1, kRotatedBytes / row_bytes));
}

struct RopeAppendArguments {
  Ptr qkv, k_cache, v_cache, positions, slots, inv_freq;
  std::optional<Ptr> q, q_chunks, sequences, q_norm, k_norm;
  std::optional<double> eps, attention_factor;
  std::optional<std::int64_t> interleaved;
};

struct RopeSizes {
  std::int64_t m, heads, kv_heads, d, page;
  std::int64_t keys() const { return heads * d; }  // first column of the keys
  std::int64_t values() const { return keys() + kv_heads * d; }
};

// Tokens near each other whose blocks this PE owns.
struct OwnTokens {
  std::vector<std::int64_t> rows, slots;
};

// Norm and rotation of heads. Works on transposed data, where both halves of the heads are contiguous.
class RopeRotation {
 public:
  RopeRotation(Context& tl, const RopeAppendArguments& args, const RopeSizes& sizes)
      : tl_(tl),
        args_(args),
        m_(sizes.m),
        d_(sizes.d),
        half_(sizes.d / 2),
        interleaved_(args.interleaved.value_or(0) != 0) {
    positions_load_ = tl.load_async(args.positions, {m_});
    inv_freq_load_ = tl.load_async(args.inv_freq, {half_, 1});
    if (args.q_norm) q_norm_load_ = tl.load_async(*args.q_norm, {1, d_});
    if (args.k_norm) k_norm_load_ = tl.load_async(*args.k_norm, {1, d_});
  }

  // Call once before heads(), when other loads are on their way.
  void prepare() {
    positions_ = tl_.cast(tl_.wait(positions_load_), Dtype::f32);
    inv_freq_ = tl_.wait(inv_freq_load_);
    if (args_.q_norm) q_norm_ = gain(tl_.wait(q_norm_load_));
    if (args_.k_norm) k_norm_ = gain(tl_.wait(k_norm_load_));
  }

  // x: (heads, rows, d) or (rows, heads, d) of some tokens; the result is (heads * rows, d).
  TensorHandle heads(const TensorHandle& x, Order order, const std::vector<std::int64_t>& tokens, bool keys) {
    const std::int64_t outer = x.size(0), inner = x.size(1), n = outer * inner;
    const bool by_row = order == Order::by_row;
    const std::int64_t rows = by_row ? outer : inner;
    const bool together = tokens.back() - tokens.front() + 1 == rows;
    std::vector<TensorHandle> each;
    for (const std::int64_t token : tokens) {
      if (!together) each.push_back(tl_.view(positions_, token, {1}));
    }
    const TensorHandle positions =
        tl_.view(together ? tl_.view(positions_, tokens.front(), {rows}) : tl_.concat(each), 0, {1, rows});
    const TensorHandle angles = tl_.mul(inv_freq_, positions);  // (half, rows)
    const Shape wide = by_row ? Shape{half_, rows, 1} : Shape{half_, 1, rows};
    const TensorHandle cosine = factor(tl_.cos(angles), wide), sine = factor(tl_.sin(angles), wide);
    TensorHandle turned = tl_.cast(tl_.trans(in_halves(tl_.view(x, 0, {n, d_}))), Dtype::f32);  // (d, n)
    if (keys ? args_.k_norm.has_value() : args_.q_norm.has_value()) normalise(turned, keys ? k_norm_ : q_norm_);
    const Shape part{half_, outer, inner};
    const TensorHandle low = tl_.view(turned, 0, part), high = tl_.view(turned, half_ * n, part);
    const TensorHandle out = tl_.empty({d_, n}, Dtype::f32);
    const TensorHandle out_low = tl_.view(out, 0, part), out_high = tl_.view(out, half_ * n, part);
    tl_.compute_into(out_low, MathOp::mul, {high, sine});
    tl_.compute_into(out_high, MathOp::mul, {low, sine});
    tl_.compute_into(out_low, MathOp::sub, {tl_.mul(low, cosine), out_low});
    tl_.compute_into(out_high, MathOp::fma, {high, cosine, out_high});
    return in_pairs(tl_.cast(tl_.trans(out), x.dtype()));
  }

 private:
  TensorHandle factor(const TensorHandle& values, const Shape& shape) {
    const bool one = args_.attention_factor.value_or(1) == 1;
    return tl_.view(one ? values : tl_.mul(values, *args_.attention_factor), 0, shape);
  }
  // Adjacent pairs to halves, row by row, and back.
  TensorHandle in_halves(const TensorHandle& x) { return interleaved_ ? swapped(x, half_, 2) : x; }
  TensorHandle in_pairs(const TensorHandle& x) { return interleaved_ ? swapped(x, 2, half_) : x; }
  TensorHandle swapped(const TensorHandle& x, std::int64_t from, std::int64_t to) {
    const TensorHandle parts = tl_.view(x, 0, {x.size(0), from, to});
    return tl_.view(tl_.cast(tl_.trans(parts), x.dtype()), 0, x.shape());
  }
  TensorHandle gain(const TensorHandle& norm) { return tl_.cast(tl_.trans(in_halves(norm)), Dtype::f32); }

  void normalise(const TensorHandle& x, const TensorHandle& norm) {
    const TensorHandle squares = tl_.sum(x * x, 0);  // (1, n)
    const TensorHandle mean = tl_.fma(squares, 1.0 / static_cast<double>(d_), args_.eps.value_or(1e-6));
    tl_.compute_into(x, MathOp::mul, {x, tl_.rsqrt(mean)});
    tl_.compute_into(x, MathOp::mul, {x, norm});
  }

  Context& tl_;
  const RopeAppendArguments& args_;
  std::int64_t m_, d_, half_;
  bool interleaved_;
  Future positions_load_, inv_freq_load_, q_norm_load_, k_norm_load_;
  TensorHandle positions_, inv_freq_;  // (m), (half, 1)
  TensorHandle q_norm_, k_norm_;       // (d, 1) in f32
};

RopeSizes checked_rope(Context& tl, const RopeAppendArguments& args) {
  tl.require(args.q || args.q_chunks, "q or q_chunks must be given");
  tl.require(args.q_chunks.has_value() == args.sequences.has_value(),
             "q_chunks is for the tokens of sequences: both are given, or neither");
  for (const std::optional<Ptr>& q : {args.q, args.q_chunks}) {
    tl.require(!q || (q->shape().size() == 3 && q->row_major() && q->dtype() == args.qkv.dtype()),
               fmt::format("{} must be {}, of {}", q ? shape_text(*q) : "",
                           q == args.q ? "(heads, tokens, d), split by heads" : "(PEs, rows, d), one each",
                           dtype_name(args.qkv.dtype())));
  }
  const Shape& cache = args.k_cache.shape();
  tl.require(cache.size() == 4 && cache == args.v_cache.shape() && args.k_cache.same_order(args.v_cache),
             fmt::format("{} and {} must both be (blocks, page, kv_heads, d), in one placement",
                         shape_text(args.k_cache), shape_text(args.v_cache)));
  tl.require_matrices({args.qkv});
  const std::int64_t d = cache[3], heads = args.qkv.shape()[1] / d - 2 * cache[2];
  const RopeSizes s{args.qkv.shape()[0], heads, cache[2], d, cache[1]};
  const std::int64_t width = checked_product("heads x d", {heads + 2 * s.kv_heads, d});
  tl.require(heads > 0 && heads % s.kv_heads == 0 && args.qkv.shape()[1] == width,
             fmt::format("{} does not have the heads of {}, and a multiple of them", shape_text(args.qkv),
                         shape_text(args.k_cache)));
  tl.require(!args.q || args.q->shape() == Shape{heads, s.m, d},
             fmt::format("{} must be ({}, {}, {})", args.q ? shape_text(*args.q) : "", heads, s.m, d));
  tl.require(s.d % 2 == 0, fmt::format("heads of {} elements have no halves; d is even", s.d));
  require_tile(tl, args.qkv);
  const Dtype dtype = args.qkv.dtype();
  tl.require(is_float(dtype) && !is_storage(dtype) && args.k_cache.dtype() == dtype && args.v_cache.dtype() == dtype,
             "qkv, q and the caches must be of one dtype: f16, bf16 or f32");
  for (const Ptr integers : {args.positions, args.slots}) {
    tl.require(element_count(integers.shape()) == s.m && integers.dtype() == Dtype::i32 && integers.row_major(),
               fmt::format("{} must be {} numbers of i32, one per token", shape_text(integers), s.m));
  }
  tl.require(element_count(args.inv_freq.shape()) == s.d / 2 && args.inv_freq.dtype() == Dtype::f32 &&
                 args.inv_freq.row_major(),
             fmt::format("{} must be {} numbers of f32", shape_text(args.inv_freq), s.d / 2));
  for (const std::optional<Ptr>& norm : {args.q_norm, args.k_norm}) {
    tl.require(!norm || (element_count(norm->shape()) == s.d && norm->dtype() == dtype && norm->row_major()),
               fmt::format("q_norm and k_norm must be {} numbers of {}", s.d, dtype_name(dtype)));
  }
  tl.require(args.eps.value_or(0) >= 0, "eps is at least 0");
  tl.require(args.k_cache.row_major(), "the caches must be split by blocks");
  return s;
}

// The tokens whose blocks this PE owns.
std::vector<OwnTokens> own_tokens(Context& tl, const RopeAppendArguments& args, const RopeSizes& s,
                                  const std::vector<std::int64_t>& slots) {
  const tl::LocalShard mine = tl.shard(args.k_cache);
  const std::int64_t token = s.kv_heads * s.d, all = args.k_cache.shape()[0] * s.page;
  std::vector<OwnTokens> out;
  for (std::int64_t row = 0; row < s.m; ++row) {
    const std::int64_t slot = slots[static_cast<std::size_t>(row)];
    tl.require(slot >= -1 && slot < all, fmt::format("slot {} of token {} is outside of {}, which has slots 0 to {}",
                                                     slot, row, shape_text(args.k_cache), all - 1));
    if (slot < 0 || slot * token < mine.first || slot * token >= mine.first + mine.elements) continue;
    if (out.empty() || row - out.back().rows.front() >= rows_at_once(s.kv_heads, s.d)) out.emplace_back();
    out.back().rows.push_back(row);
    out.back().slots.push_back(slot);
  }
  return out;
}

void append(Context& tl, const RopeAppendArguments& args, const RopeSizes& s, RopeRotation& rotation, TileLoad& load,
            const OwnTokens& own) {
  const std::int64_t token = s.kv_heads * s.d, rows = static_cast<std::int64_t>(own.rows.size());
  const TensorHandle v = load.take(s.values(), 1, token, Order::by_row);
  const Future stored = tl.scatter_async(args.v_cache, tl::Indices(own.slots), tl.view(v, 0, {rows, token}));
  const TensorHandle k = load.take(s.keys(), s.kv_heads, s.d, Order::by_row);
  const TensorHandle turned = rotation.heads(k, Order::by_row, own.rows, true);
  tl.scatter(args.k_cache, tl::Indices(own.slots), tl.view(turned, 0, {rows, token}));
  tl.wait(stored);
}

struct RowBlock {
  std::int64_t first = 0, count = 0;
};

// Runs of rows that are of no chunk, up to `step` together; cubes begin with different ones, so that they do not all
// read the same slice.
std::vector<RowBlock> row_blocks(Context& tl, const std::vector<contract::ChunkSequence>& chunks, std::int64_t m,
                                 std::int64_t step) {
  std::vector<bool> skipped(static_cast<std::size_t>(m));
  for (const contract::ChunkSequence& its : chunks) std::fill_n(skipped.begin() + its.first_row, its.tokens, true);
  std::vector<RowBlock> out;
  for (std::int64_t row = 0; row < m; ++row) {
    if (skipped[static_cast<std::size_t>(row)]) continue;
    if (out.empty() || out.back().first + out.back().count < row || out.back().count == step) out.push_back({row, 0});
    ++out.back().count;
  }
  const auto count = static_cast<std::int64_t>(out.size());
  std::rotate(out.begin(), out.begin() + tl.program_id(1) * count / tl.num_programs(1), out.end());
  return out;
}

std::vector<std::int64_t> numbers_of(const RowBlock& block) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(block.count));
  std::iota(rows.begin(), rows.end(), block.first);
  return rows;
}

// Queries of the pieces of chunks that this PE attends with, one piece after the other. The loads of a piece are under
// way while the one before is rotated.
class ChunkQueries {
 public:
  ChunkQueries(Context& tl, const RopeAppendArguments& args, const RopeSizes& s,
               const std::vector<contract::ChunkSequence>& chunks)
      : tl_(tl), s_(s), columns_(tl, args.qkv), to_(*args.q_chunks) {
    const std::int64_t pes = tl.num_programs(0) * tl.num_programs(1);
    const std::int64_t me = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0);
    const std::int64_t rows = contract::chunk_query_rows(chunks, s.heads, s.kv_heads, pes);
    tl.require(to_.shape()[0] == pes && to_.shape()[1] >= rows && to_.shape()[2] == s.d,
               fmt::format("{} must be ({}, {}, {}), a row for each PE", shape_text(to_), pes, rows, s.d));
    to_ = to_ + me * to_.shape()[1] * s.d;
    const auto pieces = contract::pieces_by_pe(chunks, s.heads, s.kv_heads, pes);
    for (const contract::ChunkPiece& its : pieces[static_cast<std::size_t>(me)]) {
      const RowBlock rows_of_piece{chunks[static_cast<std::size_t>(its.sequence)].first_row + its.first, its.tokens};
      pieces_.push_back({its.kv_head, rows_of_piece});
      most_ = std::max(most_, its.tokens);
    }
    for (TensorHandle& room : rooms_) {
      if (most_ > 0) room = tl.empty({most_ * width()}, args.qkv.dtype());
    }
  }

  void begin() { load(0); }
  void finish(RopeRotation& rotation) {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      load(i + 1);
      for (const Future& future : loads_[i % 2]) tl_.wait(future);
      loads_[i % 2].clear();
      const tl::Scratch scope(tl_);
      const RowBlock& rows = pieces_[i].rows;
      const TensorHandle x = tl_.view(rooms_[i % 2], 0, {rows.count, width() / s_.d, s_.d});
      tl_.store(to_, rotation.heads(x, Order::by_row, numbers_of(rows), false));
      to_ = to_ + rows.count * width();
    }
  }

 private:
  struct Piece {
    std::int64_t kv_head;
    RowBlock rows;
  };
  std::int64_t width() const { return s_.heads / s_.kv_heads * s_.d; }
  void load(std::size_t i) {
    if (i >= pieces_.size()) return;
    const Piece& its = pieces_[i];
    const TensorHandle room = tl_.view(rooms_[i % 2], 0, {its.rows.count, width()});
    columns_.load(tl_, room, numbers_of(its.rows), its.kv_head * width(), loads_[i % 2]);
  }

  Context& tl_;
  const RopeSizes& s_;
  ColumnTiles columns_;
  Ptr to_;  // own rows that have not been stored
  std::vector<Piece> pieces_;
  std::int64_t most_ = 0;
  std::array<TensorHandle, 2> rooms_;
  std::array<std::vector<Future>, 2> loads_;
};

// Query heads of some rows: those that this PE has in q.
void rotate_rows(Context& tl, const RopeAppendArguments& args, const RopeSizes& s, RopeRotation& rotation,
                 TileLoad& load, const std::vector<std::int64_t>& rows) {
  const tl::Scratch scope(tl);
  const tl::LocalShard mine = tl.shard(*args.q);
  const std::int64_t heads = mine.elements / (s.m * s.d), first = mine.first / (s.m * s.d);
  const TensorHandle x = load.take(first * s.d, heads, s.d, Order::by_group);
  const TensorHandle turned = rotation.heads(x, Order::by_group, rows, false);
  const auto count = static_cast<std::int64_t>(rows.size());
  tl.store(mine.ptr + rows.front() * s.d, tl.view(turned, 0, {heads, count * s.d}), heads == 1 ? 0 : s.m * s.d);
}

void rope_append(Context& tl, const RopeAppendArguments& args) {
  const RopeSizes s = checked_rope(tl, args);
  const tl::LocalShard mine = args.q ? tl.shard(*args.q) : tl::LocalShard();
  const std::int64_t heads = mine.elements / (s.m * s.d), first = mine.first / (s.m * s.d);
  tl.require(mine.elements % (s.m * s.d) == 0, "q must be split by heads");
  std::vector<contract::ChunkSequence> sequences;
  if (args.sequences) sequences = read_chunks(tl, *args.sequences, s.m);
  const std::vector<OwnTokens> own = own_tokens(tl, args, s, tl.load(args.slots, {s.m}).read<std::int64_t>());
  std::optional<ChunkQueries> chunks;
  if (args.q_chunks) chunks.emplace(tl, args, s, sequences);
  if (own.empty() && heads == 0 && !chunks) return;
  std::deque<TileLoad> loads;  // the first of each kind is under way while the others are prepared
  const auto start_own = [&](const OwnTokens& tokens) -> TileLoad& {
    return loads.emplace_back(tl, args.qkv, tokens.rows, s.keys(), 2 * s.kv_heads * s.d);
  };
  const std::int64_t step = rows_at_once(heads, s.d);
  const auto start_rows = [&](const RowBlock& block) -> TileLoad& {
    return loads.emplace_back(tl, args.qkv, numbers_of(block), first * s.d, heads * s.d);
  };
  RopeRotation rotation(tl, args, s);
  TileLoad* const first_own = own.empty() ? nullptr : &start_own(own[0]);
  const auto item = static_cast<std::int64_t>(item_size(args.qkv.dtype()));
  const auto group = static_cast<std::size_t>(
      std::max<std::int64_t>(1, kUnderWayBytes / std::max<std::int64_t>(1, heads * s.d * item * step)));
  std::vector<RowBlock> starts;
  if (heads > 0) starts = row_blocks(tl, sequences, s.m, step);
  std::vector<TileLoad*> first_rows;
  for (std::size_t i = 0; i < std::min(group, starts.size()); ++i) first_rows.push_back(&start_rows(starts[i]));
  if (chunks) chunks->begin();
  rotation.prepare();
  for (std::size_t i = 0; i < own.size(); ++i) {
    const tl::Scratch scope(tl);
    append(tl, args, s, rotation, i == 0 ? *first_own : start_own(own[i]), own[i]);
  }
  for (std::size_t begin = 0; begin < starts.size(); begin += group) {
    const tl::Scratch scope(tl);
    const std::size_t end = std::min(starts.size(), begin + group);
    std::vector<TileLoad*> under_way = begin == 0 ? first_rows : std::vector<TileLoad*>();
    for (std::size_t i = begin; begin > 0 && i < end; ++i) under_way.push_back(&start_rows(starts[i]));
    for (std::size_t i = begin; i < end; ++i) {
      rotate_rows(tl, args, s, rotation, *under_way[i - begin], numbers_of(starts[i]));
    }
  }
  if (chunks) chunks->finish(rotation);
}

}  // namespace

contract::Kernel rope_append_kernel() {
  using Args = RopeAppendArguments;
  return tl::make_kernel("rope_append", "rotates queries and keys, puts keys and values into the cache",
                         tl::Parameters<Args>{{"qkv", &Args::qkv},
                                              {"k_cache", &Args::k_cache},
                                              {"v_cache", &Args::v_cache},
                                              {"positions", &Args::positions},
                                              {"slots", &Args::slots},
                                              {"inv_freq", &Args::inv_freq},
                                              {"q", &Args::q},
                                              {"q_chunks", &Args::q_chunks},
                                              {"sequences", &Args::sequences},
                                              {"q_norm", &Args::q_norm},
                                              {"k_norm", &Args::k_norm},
                                              {"eps", &Args::eps},
                                              {"attention_factor", &Args::attention_factor},
                                              {"interleaved", &Args::interleaved}},
                         rope_append);
}

}  // namespace kb::kernels
