#include "kernels/attention/attention_mesh_kv.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "kernels/attention/attention_rank.h"
#include "kernels/attention/online_softmax.h"
#include "kernels/tl/tl.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Future;
using tl::TensorHandle;

// Rows of K and V that travel together.
struct Block {
  TensorHandle k, v;
};

struct Arriving {
  Future k, v;
};

Block wait(Context& tl, const Arriving& arriving) {
  TensorHandle k = tl.wait(arriving.k);
  return {k, tl.wait(arriving.v)};
}

class Prefill {
 public:
  Prefill(Context& tl, const TensorHandle& q, OnlineSoftmax& softmax) : tl_(tl), q_(q), softmax_(softmax) {}

  // Every rank's block comes by once. A rank takes delivery of what it is about to compute with while it computes with
  // what it has. Each K and each V is sent only after the receive of the one before was posted, so that one slot is
  // enough.
  void around_the_ring(Block block, std::int64_t n_ranks) {
    for (std::int64_t step = 1; step < n_ranks; ++step) {
      Arriving next;
      tl_.send("E", block.k);
      next.k = receive("W", block.k);
      tl_.send("E", block.v);
      next.v = receive("W", block.v);
      attend(block);
      block = wait(tl_, next);
    }
    attend(block);
  }

  // Rank r meets at step s the blocks of r - s, on its way east, and of r + s, on its way west.
  void along_the_line(const Block& own, std::int64_t rank, std::int64_t n_ranks) {
    Way east{"E", "W", rank < n_ranks - 1, rank, own}, west{"W", "E", rank > 0, n_ranks - 1 - rank, own};
    for (std::int64_t step = 1; step < n_ranks; ++step) {
      const Part parts[] = {&Block::k, &Block::v};
      for (const Part part : parts) {
        for (Way* way : {&east, &west}) {
          if (way->block && way->goes_on) tl_.send(way->to, (*way->block).*part);
        }
        for (Way* way : {&east, &west}) {
          if (way->expected < step) continue;
          (part == &Block::k ? way->next.k : way->next.v) = receive(way->from, own.*part);
        }
      }
      step == 1 ? attend(own) : attend_all(east, west);
      for (Way* way : {&east, &west}) {
        way->block = way->expected >= step ? std::optional<Block>(wait(tl_, way->next)) : std::nullopt;
      }
    }
    n_ranks == 1 ? attend(own) : attend_all(east, west);
  }

 private:
  using Part = TensorHandle Block::*;
  struct Way {
    std::string_view to, from;
    bool goes_on;           // there is a rank behind this one
    std::int64_t expected;  // blocks that come from `from`
    std::optional<Block> block;
    Arriving next{};
  };

  Future receive(std::string_view from, const TensorHandle& like) {
    return tl_.recv_async(from, like.shape(), like.dtype());
  }
  void attend(const Block& block) {
    softmax_.attend(
        q_, block.k.size(0), [&] { return block.k; }, [&] { return block.v; });
  }
  void attend_all(const Way& east, const Way& west) {
    if (east.block) attend(*east.block);
    if (west.block) attend(*west.block);
  }

  Context& tl_;
  const TensorHandle& q_;
  OnlineSoftmax& softmax_;
};

void attention_mesh_kv(Context& tl, const AttentionArguments& args) {
  const auto me = attention_rank(tl, args);
  if (!me) return;
  const std::int64_t rows = args.rows, keys = args.keys, d = args.d;
  const std::int64_t per_block = args.slot_bytes / (d * static_cast<std::int64_t>(item_size(args.k.dtype())));
  tl.require(per_block >= 1, "a slot holds not a single row of K; enlarge slot_size");
  for (std::int64_t head = 0; head < args.heads; ++head) {
    const tl::Scratch head_scope(tl);
    const TensorHandle my_q = tl.load(me->q + head * rows * d, {rows, d});
    OnlineSoftmax softmax(tl, rows, d);
    Prefill prefill(tl, my_q, softmax);
    for (std::int64_t first = 0; first < keys; first += per_block) {
      const tl::Scratch block_scope(tl);  // and of the messages of this round
      const Shape shape{std::min(per_block, keys - first), d};
      const std::int64_t at = (head * keys + first) * d;
      const TensorHandle my_k = tl.load(me->k + at, shape);
      const Block own{my_k, tl.load(me->v + at, shape)};
      if (me->ring) {
        prefill.around_the_ring(own, args.n_ranks);
      } else {
        prefill.along_the_line(own, me->rank, args.n_ranks);
      }
    }
    tl.store(me->o + head * rows * d, softmax.result(args.o.dtype()));
  }
}

}  // namespace

contract::Kernel attention_mesh_kv_kernel() {
  return tl::make_kernel("attention_mesh_kv",
                         "prefill attention: blocks of K and V travel between the ranks, each keeps its rows of Q",
                         attention_parameters(), attention_mesh_kv);
}

}  // namespace kb::kernels
