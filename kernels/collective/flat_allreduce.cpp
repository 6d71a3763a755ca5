#include "kernels/collective/flat_allreduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "kernels/collective/line_exchange.h"
#include "kernels/collective/reduction.h"
#include "kernels/tl/tl.h"
#include "platform/base/checked.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;
using OptionalText = std::optional<std::string>;
using OptionalInteger = std::optional<std::int64_t>;

// This PE's part.
struct Member {
  std::int64_t rank = 0;
  Ptr tile;
  std::int64_t n_elem = 0;
  std::int64_t step = 0;  // elements per message
};

// None when this PE holds no tile.
std::optional<Member> member(Context& tl, Ptr t, std::int64_t n_elem, std::int64_t ranks, std::int64_t first_rank,
                             const OptionalInteger& chunk) {
  const tl::LocalShard own = tl.shard(t);
  if (own.elements == 0) return std::nullopt;
  tl.require(n_elem >= 1 && own.elements == n_elem, "n_elem is not the size of the tile on this PE");
  const std::int64_t rank = checked_sum("first_rank + tile", {first_rank, own.first / n_elem});
  if (rank < 0 || rank >= ranks) tl.fail(fmt::format("this PE is rank {}, but there are {}", rank, ranks));
  return Member{rank, own.ptr, n_elem, chunk && *chunk > 0 ? std::min(*chunk, n_elem) : n_elem};
}

// exchange(acc) for every message of the tile.
template <typename Exchange>
void replace_tile(Context& tl, const Member& me, const Reduction& reduction, Exchange exchange) {
  for (std::int64_t first = 0; first < me.n_elem; first += me.step) {
    tl::Scratch part(tl);
    TensorHandle acc = tl.load(me.tile + first, {std::min(me.step, me.n_elem - first)});
    exchange(acc);
    reduction.finish(acc);
    tl.store(me.tile + first, acc);
  }
}

void ring_allreduce(Context& tl, Ptr t, std::int64_t n_elem, std::int64_t ranks, std::int64_t first_rank,
                    OptionalText op, OptionalInteger chunk) {
  const auto me = member(tl, t, n_elem, ranks, first_rank, chunk);
  if (!me) return;
  const Reduction reduction(tl, op.value_or("sum"), ranks);
  replace_tile(tl, *me, reduction, [&](TensorHandle& acc) { combine_ring(tl, {"E", "W"}, ranks, reduction, acc); });
}

void mesh_allreduce(Context& tl, Ptr t, std::int64_t n_elem, std::int64_t ranks, std::int64_t first_rank,
                    std::int64_t grid_w, std::int64_t grid_h, std::int64_t wrap, OptionalText op,
                    OptionalInteger chunk) {
  const auto me = member(tl, t, n_elem, ranks, first_rank, chunk);
  if (!me) return;
  if (grid_w < 1 || grid_h < 1 || ranks % grid_w != 0 || ranks / grid_w != grid_h) {
    tl.fail(fmt::format("a grid of {} x {} does not hold {} ranks", grid_w, grid_h, ranks));
  }
  const Reduction reduction(tl, op.value_or("sum"), ranks);
  const Axis row{"E", "W"}, column{"S", "N"};
  replace_tile(tl, *me, reduction, [&](TensorHandle& acc) {
    if (wrap != 0) {
      combine_ring(tl, row, grid_w, reduction, acc);
      combine_ring(tl, column, grid_h, reduction, acc);
    } else {
      combine_chain(tl, row, grid_w, me->rank % grid_w, reduction, acc);
      combine_chain(tl, column, grid_h, me->rank / grid_w, reduction, acc);
    }
  });
}

// All messages to rank 0 first, then all back, so that they travel as a pipeline.
void tree_allreduce(Context& tl, Ptr t, std::int64_t n_elem, std::int64_t ranks, std::int64_t first_rank,
                    OptionalText op, OptionalInteger chunk) {
  const auto me = member(tl, t, n_elem, ranks, first_rank, chunk);
  if (!me) return;
  const Reduction reduction(tl, op.value_or("sum"), ranks);
  std::vector<std::string> children;
  if (me->rank < ranks / 2) children.emplace_back("child_l");
  if (me->rank < (ranks - 1) / 2) children.emplace_back("child_r");
  std::vector<TensorHandle> parts;
  for (std::int64_t first = 0; first < n_elem; first += me->step) {
    TensorHandle acc = tl.load(me->tile + first, {std::min(me->step, n_elem - first)});
    tl::Scratch messages(tl);
    for (const std::string& child : children) reduction.add(acc, tl.recv(child, acc.shape(), acc.dtype()));
    if (me->rank > 0) {
      tl.send("parent", acc);
    } else {
      reduction.finish(acc);
    }
    parts.push_back(acc);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    tl::Scratch messages(tl);
    TensorHandle value = parts[i];
    if (me->rank > 0) value = tl.recv("parent", value.shape(), value.dtype());
    for (const std::string& child : children) tl.send(child, value);
    tl.store(me->tile + static_cast<std::int64_t>(i) * me->step, value);
  }
}

}  // namespace

contract::Kernel ring_allreduce_kernel() {
  return tl::make_kernel("ring_allreduce", "all-reduce of one tile per PE over a ring of all ranks",
                         {"t", "n_elem", "ranks", "first_rank", "op", "chunk"}, ring_allreduce);
}

contract::Kernel mesh_allreduce_kernel() {
  return tl::make_kernel("mesh_allreduce", "all-reduce of one tile per PE over a mesh or torus of all ranks",
                         {"t", "n_elem", "ranks", "first_rank", "grid_w", "grid_h", "wrap", "op", "chunk"},
                         mesh_allreduce);
}

contract::Kernel tree_allreduce_kernel() {
  return tl::make_kernel("tree_allreduce", "all-reduce of one tile per PE over a binary tree of all ranks",
                         {"t", "n_elem", "ranks", "first_rank", "op", "chunk"}, tree_allreduce);
}

}  // namespace kb::kernels
