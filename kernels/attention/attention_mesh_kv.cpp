#include "kernels/attention/attention_mesh_kv.h"

#include <algorithm>
#include <list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/attention/attention_rank.h"
#include "kernels/attention/key_blocks.h"
#include "kernels/attention/query_rows.h"
#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Future;
using tl::TensorHandle;

constexpr std::int64_t kArrayRows = 32;  // a product with fewer rows takes as long

// Keys that are transferred together in each round: a piece of both parts of a rank, or of one part when a slot holds
// only one row. A rank with shorter parts than others has no keys in the last round.
class Rounds {
 public:
  Rounds(const AttentionArguments& args, std::int64_t keys)
      : dealt_(args.context, args.n_ranks),
        one_(dealt_.most() <= keys),
        both_(one_ || keys > 1),
        step_(one_ ? dealt_.most() : std::max<std::int64_t>(1, keys / 2)),
        count_(one_ ? 1 : Context::cdiv(dealt_.most_of_part(), step_) * (both_ ? 1 : 2)) {}

  std::int64_t count() const { return count_; }
  RowPair keys(std::int64_t round, std::int64_t rank) const {
    const RowPair all = dealt_.of(rank);
    return cut(round, all, all.low.first, all.high.first);
  }
  // Their position in the memory of the rank.
  RowPair places(std::int64_t round, std::int64_t rank) const {
    const RowPair all = dealt_.of(rank);
    return cut(round, all, 0, all.low.count);
  }

 private:
  RowPair cut(std::int64_t round, const RowPair& all, std::int64_t low, std::int64_t high) const {
    const std::int64_t first = (both_ ? round : round / 2) * step_;
    const auto left = [&](const RowRange& part) { return std::clamp<std::int64_t>(part.count - first, 0, step_); };
    return {{low + first, both_ || round % 2 == 0 ? left(all.low) : 0},
            {high + first, both_ || round % 2 == 1 ? left(all.high) : 0}};
  }

  BalancedRows dealt_;
  bool one_, both_;            // there is one round; each round has keys of both parts
  std::int64_t step_, count_;  // keys of a part per round; number of rounds
};

struct Block {
  RowPair keys;
  TensorHandle k, v;  // null: no keys
};

struct Arriving {
  RowPair keys;
  std::optional<Future> k, v;
};

class Prefill {
 public:
  Prefill(Context& tl, std::list<QueryRows>& pieces, Dtype dtype, std::int64_t d)
      : tl_(tl), pieces_(pieces), dtype_(dtype), d_(d) {}

  // Every rank's block passes once. A rank receives the next block during the computation with the current one. K and V
  // are each sent only after the receive of the previous one was posted, so that one slot suffices.
  void around_the_ring(Block block, std::int64_t round, const Rounds& rounds, std::int64_t rank, std::int64_t n_ranks) {
    for (std::int64_t step = 1; step < n_ranks; ++step) {
      Arriving next{rounds.keys(round, (rank - step + n_ranks) % n_ranks), {}, {}};
      send("E", block.k);
      next.k = receive("W", next.keys);
      send("E", block.v);
      next.v = receive("W", next.keys);
      attend(block);
      block = wait(next);
    }
    attend(block);
  }

  // In step s, rank r gets the block of rank r - s, which travels east, and the block of rank r + s, which travels
  // west.
  void along_the_line(const Block& own, std::int64_t round, const Rounds& rounds, std::int64_t rank,
                      std::int64_t n_ranks) {
    Way east{"E", "W", rank < n_ranks - 1, own}, west{"W", "E", rank > 0, own};
    const auto from = [&](std::int64_t other) {
      return other >= 0 && other < n_ranks ? rounds.keys(round, other) : RowPair{};
    };
    for (std::int64_t step = 1; step < n_ranks; ++step) {
      east.next.keys = from(rank - step);
      west.next.keys = from(rank + step);
      const auto pass_on = [&](TensorHandle Block::*part, std::optional<Future> Arriving::*next) {
        for (Way* side : {&east, &west}) {
          if (side->goes_on) send(side->to, side->block.*part);
        }
        for (Way* side : {&east, &west}) side->next.*next = receive(side->from, side->next.keys);
      };
      pass_on(&Block::k, &Arriving::k);
      pass_on(&Block::v, &Arriving::v);
      attend(east.block);
      if (step > 1) attend(west.block);
      for (Way* side : {&east, &west}) side->block = wait(side->next);
    }
    attend(east.block);
    if (n_ranks > 1) attend(west.block);
  }

 private:
  struct Way {
    std::string_view to, from;
    bool goes_on;  // a further rank follows
    Block block;   // in transfer
    Arriving next{};
  };

  void send(std::string_view to, const TensorHandle& rows) {
    if (!rows.null()) tl_.send(to, rows);
  }
  std::optional<Future> receive(std::string_view from, const RowPair& keys) {
    if (keys.count() == 0) return std::nullopt;
    return tl_.recv_async(from, {keys.count(), d_}, dtype_);
  }
  Block wait(const Arriving& arriving) {
    Block out{arriving.keys, {}, {}};
    if (arriving.k) out.k = tl_.wait(*arriving.k);
    if (arriving.v) out.v = tl_.wait(*arriving.v);
    return out;
  }
  void attend(const Block& block) {
    if (block.k.null()) return;
    for (QueryRows& piece : pieces_) {
      piece.attend(
          block.keys, [&] { return block.k; }, [&] { return block.v; });
    }
  }

  Context& tl_;
  std::list<QueryRows>& pieces_;
  Dtype dtype_;
  std::int64_t d_;
};

// Rows of a rank that are processed together, in memory order: as many of both parts as the sums in scratch allow, so
// that all ranks have equal work. Few rows form one piece; more rows form one piece per part, because the later part
// attends to more keys.
std::vector<RowRange> pieces_of(const RowPair& rows, std::int64_t most, std::int64_t pass) {
  std::vector<RowRange> out;
  if (rows.count() <= std::min(kArrayRows, most)) {
    if (pass == 0 && rows.count() > 0) out.push_back({0, rows.count()});
    return out;
  }
  for (const auto& [at, count] :
       {std::pair{std::int64_t{0}, rows.low.count}, std::pair{rows.low.count, rows.high.count}}) {
    const std::int64_t first = pass * most, left = std::min(most, count - first);
    if (left > 0) out.push_back({at + first, left});
  }
  return out;
}

void attend_head(Context& tl, const AttentionArguments& args, const AttentionRank& me, const Rounds& rounds,
                 std::int64_t head, std::int64_t pass) {
  const tl::Scratch scope(tl);
  const std::int64_t d = args.d;
  const BalancedRows dealt(args.query_rows(), args.n_ranks);
  const std::int64_t at = head * dealt.most() * d, keys_at = head * BalancedRows(args.context, args.n_ranks).most() * d;
  const RowPair rows = dealt.of(me.rank);
  std::list<QueryRows> pieces;
  const std::vector<RowRange> places = pieces_of(rows, args.most_rows(), pass);
  for (const RowRange& place : places) {
    pieces.emplace_back(tl, args.sight(), rows.part(place.first, place.count),
                        tl.load(me.q + at + place.first * d, {place.count, d}));
  }
  std::vector<RowPair> blocks;
  for (std::int64_t round = 0; round < rounds.count(); ++round) blocks.push_back(rounds.places(round, me.rank));
  KeyBlocks own_blocks(tl, {me.k + keys_at, me.v + keys_at, d}, std::move(blocks), 1);
  Prefill prefill(tl, pieces, args.k.dtype(), d);
  for (std::int64_t round = 0; round < rounds.count(); ++round) {
    const tl::Scratch messages(tl);
    const RowPair keys = rounds.keys(round, me.rank);
    const Block own{keys, own_blocks.k(round), own_blocks.v(round)};
    if (me.ring) {
      prefill.around_the_ring(own, round, rounds, me.rank, args.n_ranks);
    } else {
      prefill.along_the_line(own, round, rounds, me.rank, args.n_ranks);
    }
  }
  auto place = places.begin();
  for (QueryRows& piece : pieces) tl.store(me.o + at + (place++)->first * d, piece.softmax().result(args.o.dtype()));
}

void attention_mesh_kv(Context& tl, const AttentionArguments& args) {
  const auto me = attention_rank(tl, args, Queries::dealt);
  if (!me) return;
  const std::int64_t keys_of_a_slot = args.slot_bytes / args.row_bytes();
  tl.require(keys_of_a_slot >= 1, "a slot holds not a single row of K; enlarge slot_size");
  const Rounds rounds(args, std::min(args.most_keys(), keys_of_a_slot));
  const std::int64_t passes =
      Context::cdiv(BalancedRows(args.query_rows(), args.n_ranks).most_of_part(), args.most_rows());
  for (std::int64_t head = 0; head < args.heads; ++head) {
    for (std::int64_t pass = 0; pass < passes; ++pass) attend_head(tl, args, *me, rounds, head, pass);
  }
}

}  // namespace

contract::Kernel attention_mesh_kv_kernel() {
  return tl::make_kernel("attention_mesh_kv",
                         "prefill attention: blocks of K and V travel between the ranks, each keeps its rows of Q",
                         attention_parameters(), attention_mesh_kv);
}

}  // namespace kb::kernels
