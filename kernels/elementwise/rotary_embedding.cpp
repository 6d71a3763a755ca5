#include "kernels/elementwise/rotary_embedding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/tl/tl.h"
#include "platform/base/checked.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Future;
using tl::Ptr;
using tl::TensorHandle;

constexpr std::int64_t kBytesAtATime = 32 * 1024;  // bytes per step, unless the launch sets the number of tokens

struct RotaryEmbedding {
  Ptr x, table, out;
  std::optional<std::int64_t> first_position, tokens, buffers;
};

// Rows of d elements with half a row of margin on both sides, so that the rows shifted by half a row in either
// direction are views.
class Rows {
 public:
  Rows(Context& tl, Shape shape, Dtype dtype)
      : tl_(tl), shape_(std::move(shape)), half_(shape_.back() / 2), room_(tl.zeros(with_margins(), dtype)) {}

  // `rows` may be smaller than the allocated number of rows.
  TensorHandle here(std::int64_t rows) { return from(half_, rows); }
  TensorHandle half_on(std::int64_t rows) { return from(2 * half_, rows); }
  TensorHandle half_back(std::int64_t rows) { return from(0, rows); }

 private:
  Shape with_margins() const { return {element_count(shape_) + 2 * half_}; }
  TensorHandle from(std::int64_t first, std::int64_t rows) {
    Shape shape = shape_;
    shape.front() = rows;
    return tl_.view(room_, first, shape);
  }

  Context& tl_;
  Shape shape_;
  std::int64_t half_;
  TensorHandle room_;
};

class Rotation {
 public:
  Rotation(Context& tl, const RotaryEmbedding& args, const tl::LocalShard& mine, std::int64_t step)
      : tl_(tl),
        args_(args),
        mine_(mine),
        step_(step),
        buffers_(args.buffers.value_or(2)),
        tokens_(mine.shape[0]),
        heads_(mine.shape[1]),
        d_(mine.shape[2]),
        turned_(tl.empty({step * heads_ * d_}, args.x.dtype())) {
    const Dtype dtype = args.x.dtype();
    for (std::int64_t i = 0; i < buffers_; ++i) {
      blocks_.push_back({Rows(tl, {step, heads_, d_}, dtype),
                         Rows(tl, {step, 1, d_}, dtype),
                         tl.empty({step * heads_ * d_}, dtype),
                         {},
                         {},
                         {}});
    }
    first_half_ = tl.lt(tl.view(tl.arange(0, d_, Dtype::i16), 0, {1, 1, d_}), d_ / 2);
    if (buffers_ > 1) load(0);
  }

  void run() {
    for (std::int64_t token = 0; token < tokens_; token += step_) rotate(token);
    tl_.wait();
  }

 private:
  struct Block {
    Rows x, table;
    TensorHandle out;
    Future next_x, next_table, stored;
  };

  std::int64_t size(std::int64_t token) const { return std::min(step_, tokens_ - token); }
  Block& of(std::int64_t token) { return blocks_[static_cast<std::size_t>(token / step_ % buffers_)]; }

  void load(std::int64_t token) {
    if (token >= tokens_) return;
    const std::int64_t width = heads_ * d_;
    const std::int64_t position = args_.first_position.value_or(0) + mine_.first / width + token;
    Block& block = of(token);
    block.next_table = tl_.load_into_async(block.table.here(size(token)), args_.table + position * d_);
    block.next_x = tl_.load_into_async(block.x.here(size(token)), args_.x + mine_.first + token * width);
  }

  void rotate(std::int64_t token) {
    const tl::Scratch scope(tl_);
    const std::int64_t rows = size(token);
    Block& block = of(token);
    if (buffers_ == 1) load(token);
    // Converts cos | sin to cos | cos and -sin | sin.
    const TensorHandle table = tl_.wait(block.next_table);
    const TensorHandle cosines = tl_.where(first_half_, table, block.table.half_back(rows));
    const TensorHandle sines = tl_.where(first_half_, tl_.neg(block.table.half_on(rows)), table);
    const TensorHandle x = tl_.wait(block.next_x);
    if (buffers_ > 1) load(token + step_);
    const TensorHandle turned = tl_.view(turned_, 0, x.shape()), out = tl_.view(block.out, 0, x.shape());
    tl_.compute_into(turned, MathOp::where, {first_half_, block.x.half_on(rows), block.x.half_back(rows)});
    if (buffers_ > 1 && token >= buffers_ * step_) tl_.wait(block.stored);
    tl_.compute_into(out, MathOp::mul, {x, cosines});
    tl_.compute_into(out, MathOp::fma, {turned, sines, out});
    const Ptr to = mine_.ptr + token * heads_ * d_;
    if (buffers_ > 1) {
      block.stored = tl_.store_async(to, out);
    } else {
      tl_.store(to, out);
    }
  }

  Context& tl_;
  const RotaryEmbedding& args_;
  tl::LocalShard mine_;
  std::int64_t step_, buffers_, tokens_, heads_, d_;
  TensorHandle turned_;      // x with the halves of each row swapped
  TensorHandle first_half_;  // 1 for elements of the first half of a row
  std::vector<Block> blocks_;
};

void rotary_embedding(Context& tl, const RotaryEmbedding& args) {
  const Ptr x = args.x, table = args.table, out = args.out;
  tl.require(x.shape().size() == 3 && x.same_order(out),
             fmt::format("'{}' {} and '{}' {} must have one shape (tokens, heads, d) and one placement",
                         x.tensor().name, format_shape(x.shape()), out.tensor().name, format_shape(out.shape())));
  const std::int64_t d = x.shape()[2], first = args.first_position.value_or(0);
  tl.require(d % 2 == 0 && d < 1 << 15,
             fmt::format("heads of {} elements have no halves; d is even and below 32768", d));
  tl.require(table.shape().size() == 2 && table.shape()[1] == d && table.row_major(),
             fmt::format("'{}' {} must be (positions, {}), whole or split by rows", table.tensor().name,
                         format_shape(table.shape()), d));
  tl.require(first >= 0 && checked_sum("first_position + tokens", {first, x.shape()[0]}) <= table.shape()[0],
             fmt::format("tokens at positions {} to {} need as many rows of '{}'; it has {}", first,
                         first + x.shape()[0] - 1, table.tensor().name, table.shape()[0]));
  const Dtype dtype = x.dtype();
  tl.require(is_float(dtype) && !is_storage(dtype) && table.dtype() == dtype && out.dtype() == dtype,
             "all tensors must be of one dtype: f16, bf16 or f32");
  const std::int64_t buffers = args.buffers.value_or(2);
  tl.require(buffers == 1 || buffers == 2, "buffers is 1 (loads and stores block) or 2 (they run beside)");
  tl.require(args.tokens.value_or(1) >= 1, "tokens is at least 1");
  const tl::LocalShard mine = tl.shard(out);
  if (mine.elements == 0) return;
  tl.require(mine.shape[1] == x.shape()[1] && mine.shape[2] == d, "x and out must be whole or split by tokens");
  const std::int64_t row_bytes = x.shape()[1] * d * static_cast<std::int64_t>(item_size(dtype));
  const std::int64_t step = args.tokens.value_or(std::max<std::int64_t>(1, kBytesAtATime / row_bytes));
  Rotation(tl, args, mine, std::min(step, mine.shape[0])).run();
}

}  // namespace

contract::Kernel rotary_embedding_kernel() {
  using Args = RotaryEmbedding;
  return tl::make_kernel("rotary_embedding", "out = x turned by the angles of each token's position, on own tokens",
                         tl::Parameters<Args>{{"x", &Args::x},
                                              {"table", &Args::table},
                                              {"out", &Args::out},
                                              {"first_position", &Args::first_position},
                                              {"tokens", &Args::tokens},
                                              {"buffers", &Args::buffers}},
                         rotary_embedding);
}

}  // namespace kb::kernels
