#include "kernels/attention/self_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/attention/key_blocks.h"
#include "kernels/attention/query_rows.h"
#include "kernels/tl/tl.h"
#include "platform/base/checked.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;

constexpr std::int64_t kKeys = 256;    // per block of K and V
constexpr std::int64_t kMaxRows = 64;  // per piece of Q

struct Sizes {
  std::int64_t m, heads, kv_heads, d;
  bool causal;
  std::int64_t width() const {
    return checked_product("heads x d", {checked_sum("heads of Q, K and V", {heads, kv_heads, kv_heads}), d});
  }
};

void attend_rows(Context& tl, const Sizes& s, Ptr qkv, Ptr out, std::int64_t head, std::int64_t row,
                 std::int64_t rows) {
  const tl::Scratch scope(tl);
  const std::int64_t width = s.width(), kv_head = head / (s.heads / s.kv_heads);
  const Ptr k = qkv + (s.heads + kv_head) * s.d, v = k + s.kv_heads * s.d;
  const TensorHandle q = tl.load(qkv + row * width + head * s.d, {rows, s.d}, qkv.dtype(), width);
  QueryRows queries(tl, {s.causal}, {{row, rows}, {}}, q);
  const std::int64_t seen = s.causal ? row + rows : s.m;
  std::vector<RowPair> steps;
  for (std::int64_t key = 0; key < seen; key += kKeys) steps.push_back({{key, std::min(kKeys, seen - key)}, {}});
  // Two buffers for K and two for V, unless they would need more than half of the scratch.
  const std::int64_t block_bytes = std::min(kKeys, seen) * s.d * static_cast<std::int64_t>(item_size(qkv.dtype()));
  const bool fits = 8 * block_bytes <= static_cast<std::int64_t>(tl.info().scratch_bytes);
  KeyBlocks blocks(tl, {k, v, s.d, width}, steps, fits ? 1 : 0);
  for (std::int64_t step = 0; step < blocks.count(); ++step) {
    queries.attend(
        steps[static_cast<std::size_t>(step)], [&] { return blocks.k(step); }, [&] { return blocks.v(step); });
  }
  tl.store(out + row * s.heads * s.d + head * s.d, queries.softmax().result(out.dtype()), s.heads * s.d);
}

void self_attention(Context& tl, Ptr qkv, Ptr out, std::int64_t heads, std::int64_t kv_heads, std::int64_t d,
                    std::int64_t causal) {
  const Sizes s{out.shape()[0], heads, kv_heads, d, causal != 0};
  tl.require(heads >= 1 && kv_heads >= 1 && d >= 1 && heads % kv_heads == 0,
             fmt::format("{} query heads over {} K/V heads of {}", heads, kv_heads, d));
  tl.require(qkv.shape() == Shape{s.m, s.width()} && out.shape() == Shape{s.m, heads * d},
             fmt::format("'{}' {} and '{}' {} do not fit {} query and {} K/V heads of {}", qkv.tensor().name,
                         format_shape(qkv.shape()), out.tensor().name, format_shape(out.shape()), heads, kv_heads, d));
  tl.require(qkv.row_major() && out.row_major(), "qkv and out must be whole or split by rows");
  const std::int64_t pes = tl.num_programs(0) * tl.num_programs(1);
  const std::int64_t me = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0);
  const std::int64_t rows = std::min(kMaxRows, Context::cdiv(s.m * heads, pes));
  const std::int64_t pieces = Context::cdiv(s.m, rows);
  for (std::int64_t item = me; item < pieces * heads; item += pes) {
    const std::int64_t row = item / heads * rows;
    attend_rows(tl, s, qkv, out, item % heads, row, std::min(rows, s.m - row));
  }
}

}  // namespace

contract::Kernel self_attention_kernel() {
  return tl::make_kernel("self_attention", "attention of m tokens over themselves, heads dealt out to the PEs of a SIP",
                         {"qkv", "out", "heads", "kv_heads", "d", "causal"}, self_attention);
}

}  // namespace kb::kernels
