#include "kernels/parallel/embedding.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/tl/tl.h"
#include "platform/base/checked.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;

constexpr std::int64_t kTokens = 64;    // per product
constexpr std::int64_t kRows = 256;     // per part of the table
constexpr std::int64_t kColumns = 256;  // per part of the result

// (tokens, rows): 1 where ids (tokens, 1) equals first + column, otherwise 0.
TensorHandle one_hot(Context& tl, const TensorHandle& ids, std::int64_t first, std::int64_t rows, Dtype dtype) {
  const TensorHandle hot = ids - tl.arange(first, first + rows, ids.dtype());
  tl.compute_into(hot, MathOp::abs, {hot});
  tl.compute_into(hot, MathOp::sub, {1, hot});
  tl.compute_into(hot, MathOp::relu, {hot});
  return tl.cast(hot, dtype);
}

// Computes columns [column, column + columns) of the PE's part of the result, for some tokens.
void look_up(Context& tl, const TensorHandle& wanted, const tl::LocalShard& table, Ptr out, std::int64_t first,
             std::int64_t column, std::int64_t columns) {
  const tl::Scratch scope(tl);
  const std::int64_t v = table.shape[0], n = table.shape[1];
  const Dtype dtype = table.ptr.dtype();
  const TensorHandle sum = tl.zeros({wanted.size(0), columns}, default_acc_dtype(dtype));
  for (std::int64_t row = 0; row < v; row += kRows) {
    const tl::Scratch rows_scope(tl);
    const std::int64_t rows = std::min(kRows, v - row);
    const TensorHandle part = tl.load(table.ptr + row * n + column, {rows, columns}, dtype, n);
    tl.dot(one_hot(tl, wanted, first + row, rows, dtype), part, sum);
  }
  tl.store(out + column, sum.dtype() == dtype ? sum : tl.cast(sum, dtype), n);
}

void embedding(Context& tl, Ptr ids, Ptr table, Ptr out, std::int64_t first) {
  tl.require_matrices({ids, table, out});
  const std::int64_t m = out.shape()[0], v = table.shape()[0];
  checked_sum("first + rows of the table", {first, v});
  tl.require(ids.shape() == Shape{1, m} && !is_float(ids.dtype()),
             fmt::format("ids must be {} integers (1, {})", m, m));
  const tl::LocalShard mine = tl.shard(out), own = tl.shard(table);
  if (mine.elements == 0) return;
  const std::int64_t n = mine.shape[1];
  tl.require(mine.shape[0] == m && own.shape == Shape{v, n} && own.first * m == mine.first * v,
             "the table must be split by columns like the result");
  for (std::int64_t token = 0; token < m; token += kTokens) {
    const tl::Scratch scope(tl);
    const TensorHandle wanted = tl.load(ids + token, {std::min(kTokens, m - token), 1});
    for (std::int64_t column = 0; column < n; column += kColumns) {
      look_up(tl, wanted, own, mine.ptr + token * n, first, column, std::min(kColumns, n - column));
    }
  }
}

}  // namespace

contract::Kernel embedding_kernel() {
  return tl::make_kernel("embedding", "rows of the table by ids, zero for ids it does not have",
                         {"ids", "table", "out", "first"}, embedding);
}

}  // namespace kb::kernels
