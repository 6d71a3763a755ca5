#include "kernels/attention/flash_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/attention/key_blocks.h"
#include "kernels/attention/query_rows.h"
#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;

struct FlashAttention {
  Ptr q, k, v, o;
  std::int64_t rows = 0;     // rows of q per piece
  std::int64_t keys = 0;     // keys per block
  std::int64_t buffers = 0;  // buffers for blocks of K and of V
  bool causal = false;
  std::int64_t first_token = 0;
};

struct FlashAttentionArguments {
  Ptr q, k, v, o;
  std::optional<std::int64_t> rows, keys, buffers, causal, first_token;
};

// The blocks of K and V that rows attend to. PEs begin with different blocks in cyclic order, so that they do not all
// read the same HBM slice; blocks that the causal mask cuts come last. All rows attend to the first `whole` keys.
std::vector<RowPair> steps_over(const Context& tl, std::int64_t keys, std::int64_t seen, std::int64_t whole) {
  const std::int64_t complete = whole / keys, first = tl.program_id(0) * complete / tl.num_programs(0);
  std::vector<RowPair> out;
  for (std::int64_t step = 0; step < Context::cdiv(seen, keys); ++step) {
    const std::int64_t key = (step < complete ? (first + step) % complete : step) * keys;
    out.push_back({{key, std::min(keys, seen - key)}, {}});
  }
  return out;
}

// Attention of rows [row, row + rows) of q, which are at `q`.
void attend_query_rows(Context& tl, const FlashAttention& args, Ptr q, Ptr o, std::int64_t row, std::int64_t rows) {
  const tl::Scratch scope(tl);
  const std::int64_t d = args.q.shape()[1], token = args.first_token + row, all = args.k.shape()[0];
  const std::int64_t seen = args.causal ? std::min(all, token + rows) : all;
  const std::vector<RowPair> steps = steps_over(tl, args.keys, seen, args.causal ? std::min(seen, token + 1) : seen);
  KeyBlocks blocks(tl, {args.k, args.v, d}, steps, args.buffers - 1);
  QueryRows queries(tl, {args.causal, args.first_token}, {{row, rows}, {}}, tl.load(q, {rows, d}));
  for (std::int64_t step = 0; step < blocks.count(); ++step) {
    queries.attend(
        steps[static_cast<std::size_t>(step)], [&] { return blocks.k(step); }, [&] { return blocks.v(step); });
  }
  tl.store(o, queries.softmax().result(args.o.dtype()));
}

FlashAttention checked_attention(Context& tl, const FlashAttentionArguments& given) {
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
  const FlashAttention args = checked_attention(tl, given);
  const tl::LocalShard mine = tl.shard(args.o);
  if (mine.elements == 0) return;
  const std::int64_t d = args.q.shape()[1];
  tl.require(mine.elements % d == 0 && mine.first % d == 0, "q and o must be whole or split by rows");
  for (std::int64_t at = 0; at < mine.elements; at += args.rows * d) {
    const std::int64_t rows = std::min(args.rows, (mine.elements - at) / d);
    attend_query_rows(tl, args, args.q + mine.first + at, mine.ptr + at, (mine.first + at) / d, rows);
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
