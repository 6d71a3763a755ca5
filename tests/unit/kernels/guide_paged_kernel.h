// The kernel with a block table of docs/guides/kernels.md; a test keeps the two alike.
#pragma once

// guide: begin
#include <kernbench/kernels/tl/tl.h>

#include <cmath>

// Decode: out[r] = softmax(q[r] k / sqrt(d)) v over the keys and values of request r, which lie in pages of a common
// pool. q and out are (requests, d), split by rows; keys and values (pages of the pool, tokens of a page * d); row r of
// `table` (requests, pages of one) has the numbers of its pages in i32.
inline void paged_attention(kb::tl::Context& tl, kb::tl::Ptr q, kb::tl::Ptr keys, kb::tl::Ptr values, kb::tl::Ptr table,
                            kb::tl::Ptr out) {
  const std::int64_t d = q.shape()[1], pages = table.shape()[1], page = keys.shape()[1] / d;
  const kb::tl::LocalShard mine = tl.shard(q);
  for (std::int64_t at = mine.first; at < mine.first + mine.elements; at += d) {
    const kb::tl::Scratch scope(tl);
    const auto numbers = tl.load(table + at / d * pages, {pages});
    const auto k = tl.view(tl.gather(keys, numbers, page * d), 0, {pages * page, d});
    const auto v = tl.view(tl.gather(values, numbers, page * d), 0, {pages * page, d});
    const auto scores = tl.dot(tl.load(q + at, {1, d}), tl.trans(k), kb::Dtype::f32);
    const auto shares = tl.softmax(scores * (1 / std::sqrt(static_cast<double>(d))));
    tl.store(out + at, tl.dot(tl.cast(shares, q.dtype()), v, q.dtype()));
  }
}

inline kb::contract::Kernel paged_attention_kernel() {
  return kb::tl::make_kernel("paged_attention", "attention of one token to keys and values in pages",
                             {"q", "keys", "values", "table", "out"}, paged_attention);
}
// guide: end
