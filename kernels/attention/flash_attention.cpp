#include "kernels/attention/flash_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/attention/causal_mask.h"
#include "kernels/attention/online_softmax.h"
#include "kernels/tl/tl.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Future;
using tl::Ptr;
using tl::TensorHandle;

struct FlashAttention {
  Ptr q, k, v, o;
  std::int64_t rows = 0;     // of q at a time
  std::int64_t keys = 0;     // of a block
  std::int64_t buffers = 0;  // for blocks of K and of V
  bool causal = false;
  std::int64_t first_token = 0;
};

struct FlashAttentionArguments {
  Ptr q, k, v, o;
  std::optional<std::int64_t> rows, keys, buffers, causal, first_token;
};

// The blocks of K and V that rows attend to, one in each step, loaded in the step before when there are two buffers.
// PEs begin with different blocks and go around, so that they do not all read the same HBM slice; blocks that the
// causal mask cuts come last, because one of those may have nothing for a row, which the first block must not.
class KeyBlocks {
 public:
  // `whole` keys are seen by every row.
  KeyBlocks(Context& tl, const FlashAttention& args, std::int64_t keys, std::int64_t whole)
      : tl_(tl), args_(args), keys_(keys), whole_(whole / args.keys) {
    first_ = tl.program_id(0) * whole_ / tl.num_programs(0);
    const Shape shape{std::min(args.keys, keys), args.k.shape()[1]};
    for (std::int64_t i = 0; i < args.buffers; ++i) {
      buffers_[static_cast<std::size_t>(i)] = {
          tl.empty(shape, args.k.dtype()), tl.empty(shape, args.v.dtype()), {}, {}};
    }
    if (args.buffers > 1) load(0);
  }

  std::int64_t count() const { return Context::cdiv(keys_, args_.keys); }
  // The first key of the block of a step, and how many it has.
  std::int64_t key(std::int64_t step) const { return (step < whole_ ? (first_ + step) % whole_ : step) * args_.keys; }
  std::int64_t size(std::int64_t step) const { return std::min(args_.keys, keys_ - key(step)); }
  // K and then V of that block, (keys, d). Starts to load the next block when K is here.
  TensorHandle k(std::int64_t step) {
    if (args_.buffers == 1) return load_now(of(step).k, args_.k, step);
    const TensorHandle block = tl_.wait(of(step).next_k);
    if (step + 1 < count()) load(step + 1);
    return block;
  }
  TensorHandle v(std::int64_t step) {
    if (args_.buffers == 1) return load_now(of(step).v, args_.v, step);
    return tl_.wait(of(step).next_v);
  }

 private:
  struct Buffer {
    TensorHandle k, v;
    Future next_k, next_v;
  };

  Buffer& of(std::int64_t step) { return buffers_[static_cast<std::size_t>(step % args_.buffers)]; }
  void load(std::int64_t step) {
    Buffer& buffer = of(step);
    buffer.next_k = tl_.load_into_async(part(buffer.k, step), args_.k + key(step) * width());
    buffer.next_v = tl_.load_into_async(part(buffer.v, step), args_.v + key(step) * width());
  }
  TensorHandle load_now(const TensorHandle& buffer, Ptr from, std::int64_t step) {
    TensorHandle block = part(buffer, step);
    tl_.load_into(block, from + key(step) * width());
    return block;
  }
  std::int64_t width() const { return args_.k.shape()[1]; }
  TensorHandle part(const TensorHandle& buffer, std::int64_t step) {
    return tl_.view(buffer, 0, {size(step), width()});
  }

  Context& tl_;
  const FlashAttention& args_;
  std::int64_t keys_;   // that are attended to
  std::int64_t whole_;  // blocks
  std::int64_t first_ = 0;
  std::array<Buffer, 2> buffers_;
};

// Rows [row, row + rows) of q, at `q`, attend to the keys that they see.
void attend_rows(Context& tl, const FlashAttention& args, Ptr q, Ptr o, std::int64_t row, std::int64_t rows) {
  const tl::Scratch scope(tl);
  const std::int64_t d = args.q.shape()[1], token = args.first_token + row, all = args.k.shape()[0];
  const std::int64_t seen = args.causal ? std::min(all, token + rows) : all;
  KeyBlocks blocks(tl, args, seen, args.causal ? std::min(seen, token + 1) : seen);
  const TensorHandle query = tl.load(q, {rows, d});
  OnlineSoftmax softmax(tl, rows, d);
  for (std::int64_t step = 0; step < blocks.count(); ++step) {
    OnlineSoftmax::Source mask;
    const std::int64_t key = blocks.key(step), keys = blocks.size(step);
    if (args.causal && key + keys > token + 1) mask = [&] { return causal_mask(tl, token, rows, key, keys); };
    softmax.attend(
        query, keys, [&] { return blocks.k(step); }, [&] { return blocks.v(step); }, mask);
  }
  tl.store(o, softmax.result(args.o.dtype()));
}

FlashAttention checked(Context& tl, const FlashAttentionArguments& given) {
  FlashAttention args{given.q,
                      given.k,
                      given.v,
                      given.o,
                      given.rows.value_or(32),
                      given.keys.value_or(256),
                      given.buffers.value_or(2),
                      given.causal.value_or(0) != 0,
                      given.first_token.value_or(0)};
  const std::int64_t d = args.q.shape().back();
  tl.require(args.q.shape().size() == 2 && args.q.same_order(args.o),
             fmt::format("'{}' {} and '{}' {} must have one shape (rows, d) and one placement", args.q.tensor().name,
                         format_shape(args.q.shape()), args.o.tensor().name, format_shape(args.o.shape())));
  tl.require(args.k.shape() == args.v.shape() && args.k.shape().size() == 2 && args.k.shape()[1] == d,
             fmt::format("'{}' {} and '{}' {} must be (keys, {}), like the rows of '{}'", args.k.tensor().name,
                         format_shape(args.k.shape()), args.v.tensor().name, format_shape(args.v.shape()), d,
                         args.q.tensor().name));
  tl.require(args.k.row_major() && args.v.row_major(), "K and V must be whole or split by rows");
  tl.require(args.rows >= 1 && args.keys >= 1, "rows and keys are at least 1");
  tl.require(args.buffers == 1 || args.buffers == 2, "buffers is 1 (loads block) or 2 (loads run ahead)");
  tl.require(args.first_token >= 0, "first_token is at least 0");
  return args;
}

void flash_attention(Context& tl, const FlashAttentionArguments& given) {
  const FlashAttention args = checked(tl, given);
  const tl::LocalShard mine = tl.shard(args.o);
  if (mine.elements == 0) return;
  const std::int64_t d = args.q.shape()[1];
  tl.require(mine.elements % d == 0 && mine.first % d == 0, "q and o must be whole or split by rows");
  for (std::int64_t at = 0; at < mine.elements; at += args.rows * d) {
    const std::int64_t rows = std::min(args.rows, (mine.elements - at) / d);
    attend_rows(tl, args, args.q + mine.first + at, mine.ptr + at, (mine.first + at) / d, rows);
  }
}

}  // namespace

contract::Kernel flash_attention_kernel() {
  using Args = FlashAttentionArguments;
  return tl::make_kernel("flash_attention", "o = softmax(q K^T / sqrt(d)) V on the rows of o that each PE owns",
                         tl::Parameters<Args>{{"q", &Args::q},
                                              {"k", &Args::k},
                                              {"v", &Args::v},
                                              {"o", &Args::o},
                                              {"rows", &Args::rows},
                                              {"keys", &Args::keys},
                                              {"buffers", &Args::buffers},
                                              {"causal", &Args::causal},
                                              {"first_token", &Args::first_token}},
                         flash_attention);
}

}  // namespace kb::kernels
