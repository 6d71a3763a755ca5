#include "kernels/collective/hop_allreduce.h"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "kernels/collective/direct_combine.h"
#include "kernels/collective/hop_rank.h"
#include "kernels/collective/line_exchange.h"
#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Future;
using tl::Ptr;
using tl::TensorHandle;

// All receives of a segment are posted before its first send, so that this is their bound.
constexpr std::int64_t kMaxBufferBytes = 256 << 10;

struct Rank {
  Context& tl;
  const HopRank& me;
  const Reduction& reduction;
  std::int64_t scratch_elements;  // per buffer, at most a quarter of the scratch

  Ptr at(const Part& part) const { return me.tile() + part.first; }
  TensorHandle load(const Part& part) const { return reduction.begin(tl.load(at(part), {part.elements})); }
  Future receive(const std::string& from, const Part& part) const {
    return tl.recv_async(from, {part.elements}, reduction.dtype());
  }
  Future receive_in_place(const std::string& from, const Part& part) const {
    return tl.recv_async(from, at(part), {part.elements});
  }
  void send(const std::string& to, const Part& part) const { tl.send(to, at(part), {part.elements}); }
  // Sends this rank's contribution, directly from memory when it needs no conversion.
  void contribute(const std::string& to, const Part& part) const {
    if (!reduction.begins()) return send(to, part);
    tl::Scratch scratch(tl);
    tl.send(to, load(part));
  }
  // The message `part` in a buffer that holds `whole`.
  TensorHandle view(const TensorHandle& buffer, const Part& whole, const Part& part) const {
    return tl.view(buffer, part.first - whole.first, {part.elements});
  }
};

void ring(const Rank& x) {
  const std::string up = x.me.ranks() > 1 ? x.me.to(1) : "", down = x.me.ranks() > 1 ? x.me.from(1) : "";
  for (const Part& segment : x.me.segments(x.scratch_elements)) {
    for (const Part& part : x.me.messages(segment)) {
      tl::Scratch scratch(x.tl);
      TensorHandle acc = x.load(part);
      combine_ring(x.tl, {up, down}, x.me.ranks(), x.reduction, acc);
      x.tl.store(x.at(part), x.reduction.finish(acc));
    }
  }
}

// --- Pairwise exchange with all ranks.

void pairwise(const Rank& x) {
  if (x.me.ranks() == 1) return;
  const HopArguments& args = x.me.arguments();
  const bool blocks = args.by_blocks.value_or(1) != 0;
  DirectExchange direct(x.tl, x.me.tile(), x.me.tile(),
                        {x.me.ranks(), x.me.rank(), args.chunk, args.ahead.value_or(1), args.twice.value_or(0) != 0},
                        args.links);
  for (const Span& segment : direct.segments({0, args.n_elem}, combined_streams(x.me.ranks(), blocks))) {
    tl::Scratch scratch(x.tl);
    (blocks ? combine_blocks : combine_tiles)(direct, segment, x.reduction);
    direct.wait_all();
  }
}

// --- Blocks half around the ring in both directions.

// One direction of the ring. Blocks for the `reach` ranks ahead leave in this direction, the farthest first.
struct HalfRing {
  std::int64_t sign, reach;
  std::string to, from;
  std::deque<Future> partial, results;
  std::vector<TensorHandle> parts;  // this rank's parts for the next round
};

std::array<HalfRing, 2> halves(const Rank& x) {
  const std::int64_t n = x.me.ranks();
  return {HalfRing{1, n / 2, x.me.to(1), x.me.from(1), {}, {}, {}},
          HalfRing{-1, (n - 1) / 2, x.me.to(n - 1), x.me.from(n - 1), {}, {}, {}}};
}

Future take(std::deque<Future>& futures) {
  Future first = futures.front();
  futures.pop_front();
  return first;
}

void post_receives(const Rank& x, const Part& segment, HalfRing& half) {
  for (std::int64_t i = 1; i <= half.reach; ++i) {
    for (const Part& part : x.me.messages(segment, x.me.around(half.sign * (half.reach - i)))) {
      half.partial.push_back(x.receive(half.from, part));
    }
  }
  for (std::int64_t i = 1; i <= half.reach; ++i) {
    for (const Part& part : x.me.messages(segment, x.me.around(-half.sign * i))) {
      half.results.push_back(x.receive_in_place(half.from, part));
    }
  }
}

// Adds this rank's part to each passing block. In round 0, its own part of the farthest block is sent. The parts of the
// next round are loaded while messages are in flight.
void reduce_in_passing(const Rank& x, const Part& segment, std::array<HalfRing, 2>& both, std::int64_t round) {
  for (HalfRing& half : both) {
    if (round >= half.reach) continue;
    if (round == 0) {
      const std::int64_t rank = x.me.around(half.sign * half.reach);
      for (const Part& part : x.me.messages(segment, rank)) x.contribute(half.to, part);
    }
    for (TensorHandle& acc : half.parts) {
      x.reduction.add(acc, x.tl.wait(take(half.partial)));
      x.tl.send(half.to, acc);
    }
    half.parts.clear();
  }
  for (HalfRing& half : both) {
    if (round + 1 >= half.reach) continue;
    const std::int64_t rank = x.me.around(half.sign * (half.reach - round - 1));
    for (const Part& part : x.me.messages(segment, rank)) half.parts.push_back(x.load(part));
  }
}

void scatter_segment(const Rank& x, const Part& segment) {
  std::array<HalfRing, 2> both = halves(x);
  for (HalfRing& half : both) post_receives(x, segment, half);
  const std::int64_t rounds = both[0].reach;
  for (std::int64_t round = 0; round < rounds; ++round) reduce_in_passing(x, segment, both, round);
  const Part own = x.me.block(segment, x.me.rank());
  if (own.elements > 0) {
    const TensorHandle acc = x.load(own), result = x.reduction.room_for(acc);
    for (const Part& message : x.me.messages(own)) {
      TensorHandle part = x.view(acc, own, message);
      for (HalfRing& half : both) {
        if (half.reach > 0) x.reduction.add(part, x.tl.wait(take(half.partial)));
      }
      const TensorHandle finished = x.view(result, own, message);
      x.reduction.finish_into(finished, part);
      for (HalfRing& half : both) {
        if (half.reach > 0) x.tl.send(half.to, finished);
      }
    }
    x.tl.store(x.at(own), result);
  }
  for (std::int64_t i = 1; i <= rounds; ++i) {
    for (HalfRing& half : both) {
      if (i > half.reach) continue;
      for (const Part& part : x.me.messages(segment, x.me.around(-half.sign * i))) {
        x.tl.wait(take(half.results));
        if (i < half.reach) x.send(half.to, part);
      }
    }
  }
}

void scatter_segments(const Rank& x) {
  if (x.me.ranks() == 1) return;
  for (const Part& segment : x.me.segments(2 * x.scratch_elements)) {
    tl::Scratch scratch(x.tl);
    scatter_segment(x, segment);
  }
}

// --- Up a binomial tree and down again.

void tree_segment(const Rank& x, const Part& segment) {
  const std::int64_t n = x.me.ranks(), rank = x.me.rank();
  std::int64_t up = 1;  // distance of the parent
  std::vector<std::int64_t> children;
  for (; up < n && rank % (2 * up) == 0; up *= 2) {
    if (rank + up < n) children.push_back(up);
  }
  const std::vector<Part> messages = x.me.messages(segment);
  std::vector<TensorHandle> sums;
  for (const Part& part : messages) {
    TensorHandle acc = x.load(part);
    {
      tl::Scratch received(x.tl);
      for (const std::int64_t child : children) {
        x.reduction.add(acc, x.tl.recv(x.me.from(n - child), acc.shape(), acc.dtype()));
      }
      if (rank > 0) x.tl.send(x.me.to(n - up), acc);
    }
    sums.push_back(rank > 0 ? acc : x.reduction.finish(acc));
  }
  std::reverse(children.begin(), children.end());  // the largest subtree first
  for (std::size_t i = 0; i < messages.size(); ++i) {
    tl::Scratch received(x.tl);
    TensorHandle value = sums[i];
    if (rank > 0) value = x.tl.recv(x.me.from(up), value.shape(), x.me.tile().dtype());
    for (const std::int64_t child : children) x.tl.send(x.me.to(child), value);
    x.tl.store(x.at(messages[i]), value);
  }
}

void tree(const Rank& x) {
  for (const Part& segment : x.me.segments(x.scratch_elements)) {
    tl::Scratch scratch(x.tl);
    tree_segment(x, segment);
  }
}

contract::Kernel kernel(const char* name, const char* what, void (*algorithm)(const Rank&)) {
  using Args = HopArguments;
  const tl::Parameters<Args> parameters{{"t", &Args::t},         {"n_elem", &Args::n_elem},
                                        {"ranks", &Args::ranks}, {"first_rank", &Args::first_rank},
                                        {"order", &Args::order}, {"links", &Args::links},
                                        {"op", &Args::op},       {"chunk", &Args::chunk},
                                        {"ahead", &Args::ahead}, {"by_blocks", &Args::by_blocks},
                                        {"twice", &Args::twice}};
  return tl::make_kernel(name, what, parameters, [algorithm](Context& tl, const Args& args) {
    const auto me = HopRank::make(tl, args);
    if (!me) return;
    const Reduction reduction(tl, args.op, args.ranks, args.t.dtype());
    const auto bytes = std::min<std::int64_t>(kMaxBufferBytes, static_cast<std::int64_t>(tl.info().scratch_bytes / 4));
    const auto item = static_cast<std::int64_t>(item_size(reduction.dtype()));
    algorithm({tl, *me, reduction, std::max<std::int64_t>(1, bytes / item)});
  });
}

}  // namespace

contract::Kernel hop_ring_allreduce_kernel() {
  return kernel("hop_ring_allreduce", "all-reduce of one tile per rank: whole tiles around the ring", ring);
}

contract::Kernel hop_scatter_allreduce_kernel() {
  return kernel("hop_scatter_allreduce",
                "all-reduce of one tile per rank: reduce-scatter and all-gather around the ring, both halves",
                scatter_segments);
}

contract::Kernel hop_pairwise_allreduce_kernel() {
  return kernel("hop_pairwise_allreduce",
                "all-reduce of one tile per rank: blocks or tiles straight to the ranks that combine them", pairwise);
}

contract::Kernel hop_tree_allreduce_kernel() {
  return kernel("hop_tree_allreduce", "all-reduce of one tile per rank: up a binomial tree and down again", tree);
}

}  // namespace kb::kernels
