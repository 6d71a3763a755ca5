#include "kernels/collective/flat_allreduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/collective/line_exchange.h"
#include "kernels/collective/reduction.h"
#include "kernels/tl/tl.h"
#include "platform/base/checked.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;

struct FlatArguments {
  Ptr t;
  std::int64_t n_elem = 0, ranks = 0, first_rank = 0;
  std::int64_t grid_w = 0, grid_h = 0, wrap = 0;  // for mesh_allreduce
  std::optional<std::string> op;
  std::optional<std::int64_t> chunk;
};

// This PE as a member of the all-reduce.
struct Member {
  std::int64_t rank = 0;
  Ptr tile;
  std::int64_t n_elem = 0;
  std::int64_t step = 0;  // elements per message
};

// Returns no value when this PE holds no tile.
std::optional<Member> member(Context& tl, const FlatArguments& args) {
  const tl::LocalShard own = tl.shard(args.t);
  if (own.elements == 0) return std::nullopt;
  const std::int64_t n_elem = args.n_elem;
  tl.require(n_elem >= 1 && own.elements == n_elem, "n_elem is not the size of the tile on this PE");
  const std::int64_t rank = checked_sum("first_rank + tile", {args.first_rank, own.first / n_elem});
  if (rank < 0 || rank >= args.ranks) tl.fail(fmt::format("this PE is rank {}, but there are {}", rank, args.ranks));
  return Member{rank, own.ptr, n_elem, args.chunk && *args.chunk > 0 ? std::min(*args.chunk, n_elem) : n_elem};
}

// Calls exchange(acc) for every message of the tile.
template <typename Exchange>
void replace_tile(Context& tl, const Member& me, const Reduction& reduction, Exchange exchange) {
  for (std::int64_t first = 0; first < me.n_elem; first += me.step) {
    tl::Scratch part(tl);
    TensorHandle acc = reduction.begin(tl.load(me.tile + first, {std::min(me.step, me.n_elem - first)}));
    exchange(acc);
    tl.store(me.tile + first, reduction.finish(acc));
  }
}

void ring_allreduce(Context& tl, const FlatArguments& args) {
  const auto me = member(tl, args);
  if (!me) return;
  const Reduction reduction(tl, args.op.value_or("sum"), args.ranks, args.t.dtype());
  replace_tile(tl, *me, reduction, [&](TensorHandle& acc) {
    combine_ring(tl, {"E", "W"}, args.ranks, reduction, acc);
  });
}

void mesh_allreduce(Context& tl, const FlatArguments& args) {
  const auto me = member(tl, args);
  if (!me) return;
  const std::int64_t grid_w = args.grid_w, grid_h = args.grid_h, ranks = args.ranks;
  if (grid_w < 1 || grid_h < 1 || ranks % grid_w != 0 || ranks / grid_w != grid_h) {
    tl.fail(fmt::format("a grid of {} x {} does not hold {} ranks", grid_w, grid_h, ranks));
  }
  const Reduction reduction(tl, args.op.value_or("sum"), args.ranks, args.t.dtype());
  const Axis row{"E", "W"}, column{"S", "N"};
  replace_tile(tl, *me, reduction, [&](TensorHandle& acc) {
    if (args.wrap != 0) {
      combine_ring(tl, row, grid_w, reduction, acc);
      combine_ring(tl, column, grid_h, reduction, acc);
    } else {
      combine_chain(tl, row, grid_w, me->rank % grid_w, reduction, acc);
      combine_chain(tl, column, grid_h, me->rank / grid_w, reduction, acc);
    }
  });
}

// First all messages to rank 0, then all back, so that they are pipelined.
void tree_allreduce(Context& tl, const FlatArguments& args) {
  const auto me = member(tl, args);
  if (!me) return;
  const Reduction reduction(tl, args.op.value_or("sum"), args.ranks, args.t.dtype());
  const std::int64_t n_elem = args.n_elem, ranks = args.ranks;
  std::vector<std::string> children;
  if (me->rank < ranks / 2) children.emplace_back("child_l");
  if (me->rank < (ranks - 1) / 2) children.emplace_back("child_r");
  std::vector<TensorHandle> parts;
  for (std::int64_t first = 0; first < n_elem; first += me->step) {
    TensorHandle acc = reduction.begin(tl.load(me->tile + first, {std::min(me->step, n_elem - first)}));
    {
      tl::Scratch messages(tl);
      for (const std::string& child : children) reduction.add(acc, tl.recv(child, acc.shape(), acc.dtype()));
      if (me->rank > 0) tl.send("parent", acc);
    }
    parts.push_back(me->rank > 0 ? acc : reduction.finish(acc));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    tl::Scratch messages(tl);
    TensorHandle value = parts[i];
    if (me->rank > 0) value = tl.recv("parent", value.shape(), args.t.dtype());
    for (const std::string& child : children) tl.send(child, value);
    tl.store(me->tile + static_cast<std::int64_t>(i) * me->step, value);
  }
}

tl::Parameters<FlatArguments> flat_parameters() {
  return {{"t", &FlatArguments::t},         {"n_elem", &FlatArguments::n_elem},
          {"ranks", &FlatArguments::ranks}, {"first_rank", &FlatArguments::first_rank},
          {"op", &FlatArguments::op},       {"chunk", &FlatArguments::chunk}};
}

}  // namespace

contract::Kernel ring_allreduce_kernel() {
  return tl::make_kernel("ring_allreduce", "all-reduce of one tile per PE over a ring of all ranks", flat_parameters(),
                         ring_allreduce);
}

contract::Kernel mesh_allreduce_kernel() {
  tl::Parameters<FlatArguments> with_grid = flat_parameters();
  with_grid.insert(
      with_grid.begin() + 4,
      {{"grid_w", &FlatArguments::grid_w}, {"grid_h", &FlatArguments::grid_h}, {"wrap", &FlatArguments::wrap}});
  return tl::make_kernel("mesh_allreduce", "all-reduce of one tile per PE over a mesh or torus of all ranks",
                         std::move(with_grid), mesh_allreduce);
}

contract::Kernel tree_allreduce_kernel() {
  return tl::make_kernel("tree_allreduce", "all-reduce of one tile per PE over a binary tree of all ranks",
                         flat_parameters(), tree_allreduce);
}

}  // namespace kb::kernels
