#include "kernels/routing/topk_routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Future;
using tl::Ptr;
using tl::TensorHandle;

struct TopkRouting {
  Ptr x, w, weights, experts, counts;
  std::optional<std::int64_t> rows, depth, buffers;
};

// Routes the tokens of this PE, `rows` at a time; a step is a product with one block of x (rows, depth).
class Router {
 public:
  Router(Context& tl, const TopkRouting& args, const tl::LocalShard& mine)
      : tl_(tl),
        args_(args),
        tokens_(mine.shape[0]),
        first_(mine.first / mine.shape[1]),
        dim_(args.w.shape()[0]),
        experts_(args.w.shape()[1]),
        k_(args.experts.shape()[1]),
        rows_(std::min(args.rows.value_or(64), tokens_)),
        depth_(std::min(args.depth.value_or(1024), dim_)),
        ahead_(args.buffers.value_or(2) - 1),
        blocks_(Context::cdiv(dim_, depth_)),
        steps_(Context::cdiv(tokens_, rows_) * blocks_),
        numbers_(tl.arange(0, experts_)),
        counts_(tl.zeros({1, experts_}, Dtype::i32)),
        w_(tl.empty({dim_ * experts_}, args.w.dtype())) {
    for (std::int64_t i = 0; i <= ahead_; ++i) x_.push_back({tl.empty({rows_ * depth_}, args.x.dtype()), {}});
    chosen_ = {tl.empty({rows_ * k_}, Dtype::f32), tl.empty({rows_ * k_}, Dtype::i32)};
    if (ahead_ > 0) load(0);
  }

  void run() {
    for (std::int64_t step = 0; step < steps_; step += blocks_) route(step);
    tl_.atomic_add(args_.counts + tl_.program_id(1) % args_.counts.shape()[0] * experts_, counts_);
    tl_.wait();
  }

 private:
  struct Buffer {
    TensorHandle room;
    Future next;
  };

  std::int64_t token_of(std::int64_t step) const { return step / blocks_ * rows_; }
  std::int64_t depth_of(std::int64_t step) const { return step % blocks_ * depth_; }
  std::int64_t rows(std::int64_t step) const { return std::min(rows_, tokens_ - token_of(step)); }
  std::int64_t depth(std::int64_t step) const { return std::min(depth_, dim_ - depth_of(step)); }
  Buffer& x_of(std::int64_t step) { return x_[static_cast<std::size_t>(step) % x_.size()]; }

  TensorHandle w_of(std::int64_t step) { return tl_.view(w_, depth_of(step) * experts_, {depth(step), experts_}); }

  // Loads a block of x, and the matching part of w if it is not loaded yet.
  void load(std::int64_t step) {
    if (step >= steps_) return;
    const TensorHandle room = tl_.view(x_of(step).room, 0, {rows(step), depth(step)});
    x_of(step).next = tl_.load_into_async(room, args_.x + (first_ + token_of(step)) * dim_ + depth_of(step), dim_);
    if (step < blocks_) next_w_ = tl_.load_into_async(w_of(step), args_.w + depth_of(step) * experts_);
  }

  void route(std::int64_t first) {
    const tl::Scratch scope(tl_);
    const TensorHandle logits = tl_.zeros({rows(first), experts_}, Dtype::f32);
    for (std::int64_t step = first; step < first + blocks_; ++step) {
      if (ahead_ == 0) load(step);
      const TensorHandle x = tl_.wait(x_of(step).next);
      if (step < blocks_) tl_.wait(next_w_);
      if (ahead_ > 0) load(step + 1);
      tl_.dot(x, w_of(step), logits);
    }
    choose(first, logits);
  }

  void choose(std::int64_t first, const TensorHandle& logits) {
    const std::int64_t rows = this->rows(first);
    const tl::TopK top = tl_.topk(logits, k_);
    for (const Future& stored : stored_) {
      if (first > 0) tl_.wait(stored);
    }
    const TensorHandle weights = tl_.view(chosen_[0], 0, {rows, k_}), experts = tl_.view(chosen_[1], 0, {rows, k_});
    tl_.assign(weights, tl_.softmax(top.values, 1));
    tl_.assign(experts, top.indices);
    const std::int64_t to = (first_ + token_of(first)) * k_;
    stored_ = {tl_.store_async(args_.weights + to, weights), tl_.store_async(args_.experts + to, experts)};
    const TensorHandle hits = tl_.eq(tl_.view(experts, 0, {rows * k_, 1}), tl_.view(numbers_, 0, {1, experts_}));
    tl_.compute_into(counts_, MathOp::add, {counts_, tl_.sum(hits, 0)});
  }

  Context& tl_;
  const TopkRouting& args_;
  std::int64_t tokens_, first_, dim_, experts_, k_;
  std::int64_t rows_, depth_, ahead_, blocks_, steps_;
  TensorHandle numbers_, counts_;
  TensorHandle w_;
  std::vector<Buffer> x_;
  Future next_w_;
  std::array<TensorHandle, 2> chosen_;  // weights and experts that are being stored
  std::array<Future, 2> stored_;
};

void topk_routing(Context& tl, const TopkRouting& args) {
  const Ptr x = args.x, w = args.w, weights = args.weights, experts = args.experts;
  tl.require_matrices({x, w, weights, experts});
  const std::int64_t count = w.shape()[1], k = experts.shape()[1];
  tl.require(w.shape()[0] == x.shape()[1], fmt::format("{} must have a row for each of the {} columns of {}",
                                                       shape_text(w), x.shape()[1], shape_text(x)));
  tl.require(experts.shape()[0] == x.shape()[0] && weights.same_order(experts),
             fmt::format("{} and {} must both be ({}, k), in one placement", shape_text(weights), shape_text(experts),
                         x.shape()[0]));
  tl.require(k <= count, fmt::format("{} of {} experts cannot be chosen", k, count));
  tl.require(args.counts.shape().size() == 2 && args.counts.shape()[1] == count,
             fmt::format("{} must have rows of {} numbers, one for each expert", shape_text(args.counts), count));
  const Dtype dtype = x.dtype();
  tl.require(is_float(dtype) && !is_storage(dtype) && w.dtype() == dtype,
             "x and w must be of one dtype: f16, bf16 or f32");
  tl.require(weights.dtype() == Dtype::f32 && experts.dtype() == Dtype::i32 && args.counts.dtype() == Dtype::i32,
             "weights must be f32, experts and counts i32");
  tl.require(args.rows.value_or(1) >= 1 && args.depth.value_or(1) >= 1, "rows and depth are at least 1");
  const std::int64_t buffers = args.buffers.value_or(2);
  tl.require(buffers == 1 || buffers == 2, "buffers is 1 (loads block) or 2 (loads run ahead)");
  tl.require(x.row_major() && w.row_major() && experts.row_major() && args.counts.row_major(),
             "tensors must be whole or split by rows");
  const tl::LocalShard mine = tl.shard(experts);
  if (mine.elements == 0) return;
  Router(tl, args, mine).run();
}

}  // namespace

contract::Kernel topk_routing_kernel() {
  using Args = TopkRouting;
  return tl::make_kernel("topk_routing", "the k experts of each own token by the largest logits x w, and their weights",
                         tl::Parameters<Args>{{"x", &Args::x},
                                              {"w", &Args::w},
                                              {"weights", &Args::weights},
                                              {"experts", &Args::experts},
                                              {"counts", &Args::counts},
                                              {"rows", &Args::rows},
                                              {"depth", &Args::depth},
                                              {"buffers", &Args::buffers}},
                         topk_routing);
}

}  // namespace kb::kernels
