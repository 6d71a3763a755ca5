#include "kernels/model/argmax_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "kernels/model/column_tiles.h"
#include "kernels/tl/tl.h"
#include "platform/base/checked.h"
#include "platform/contract/kernel.h"
#include "platform/contract/tensor_layout.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Future;
using tl::Ptr;
using tl::TensorHandle;

constexpr std::int64_t kLogitsAtOnce = std::int64_t{64} * 1024;

struct Best {
  TensorHandle values, indices;  // (1, rows), f32 and i32
};

// The best of candidates (n, rows), whose indices increase from row to row.
Best best_of(Context& tl, const TensorHandle& values, const TensorHandle& indices) {
  const std::int64_t count = values.size(0);
  const TensorHandle chosen = tl.argmax(values, 0);
  const TensorHandle hit = tl.eq(tl.view(tl.arange(0, count), 0, {count, 1}), chosen);
  return {tl.sum(tl.where(hit, values, 0.0), 0), tl.sum(tl.where(hit, indices, 0), 0)};
}

// The best of `rows` rows of the PE's part of x, whose columns begin at `column`.
Best best_of_rows(Context& tl, Ptr x, std::int64_t rows, std::int64_t width, std::int64_t column) {
  const std::int64_t step = std::max<std::int64_t>(1, std::min(width, kLogitsAtOnce / rows));
  const std::int64_t count = Context::cdiv(width, step);
  const TensorHandle values = tl.empty({count, rows}, Dtype::f32), indices = tl.empty({count, rows}, Dtype::i32);
  for (std::int64_t i = 0; i < count; ++i) {
    const tl::Scratch scope(tl);
    const std::int64_t first = i * step;
    const TensorHandle part = tl.load(x + first, {rows, std::min(step, width - first)}, std::nullopt, width);
    tl.assign(tl.view(values, i * rows, {rows, 1}), tl.max(part, 1, Dtype::f32));
    tl.compute_into(tl.view(indices, i * rows, {rows, 1}), MathOp::add, {tl.argmax(part, 1), column + first});
  }
  if (count == 1) return {values, indices};
  return best_of(tl, values, indices);
}

void check_arguments(Context& tl, Ptr x, Ptr partials, Ptr indices, const std::optional<Ptr>& values) {
  tl.require_matrices({x, partials, indices});
  const std::int64_t m = x.shape()[0];
  tl.require(is_float(x.dtype()) && !is_storage(x.dtype()), "x must be f16, bf16 or f32");
  tl.require(indices.shape() == Shape{1, m} && indices.dtype() == Dtype::i32,
             fmt::format("{} must be (1, {}) of i32, one for each row of {}", shape_text(indices), m, shape_text(x)));
  tl.require(!values || (values->same_order(indices) && values->dtype() == Dtype::f32),
             fmt::format("values must be f32, of the shape and layout of {}", shape_text(indices)));
  tl.require(partials.shape()[1] == 2 * m && partials.dtype() == Dtype::f32 && partials.row_major(),
             fmt::format("{} must be (cubes, {}) of f32, whole or split by rows", shape_text(partials), 2 * m));
  std::set<std::uint64_t> begins;
  for (const contract::Shard& shard : partials.tensor().shards) {
    tl.require(begins.insert(shard.offset_bytes).second, fmt::format("{} must be a single copy", shape_text(partials)));
  }
}

// The candidates of all cubes for own rows of the result.
void compare_cubes(Context& tl, Ptr partials, std::int64_t m, std::int64_t tiles, Ptr indices,
                   const std::optional<Ptr>& values) {
  const tl::LocalShard mine = tl.shard(indices);
  const std::int64_t rows = mine.elements;
  if (rows == 0) return;
  const Ptr from = partials + mine.first;
  const Future found = tl.load_async(from, {tiles, rows}, std::nullopt, 2 * m);
  const Future places = tl.load_async(from.as(Dtype::i32) + m, {tiles, rows}, std::nullopt, 2 * m);
  const TensorHandle found_values = tl.wait(found);
  const Best best = best_of(tl, found_values, tl.wait(places));
  tl.store_async(mine.ptr, best.indices);
  if (values) tl.store_async(*values + mine.first, best.values);
  tl.wait();
}

void argmax_rows(Context& tl, Ptr x, Ptr partials, Ptr indices, std::optional<Ptr> values,
                 std::optional<std::int64_t> first) {
  check_arguments(tl, x, partials, indices, values);
  const std::int64_t m = x.shape()[0], begin = first.value_or(0);
  checked_sum("first + columns of x", {begin, x.shape()[1]});
  tl.require(begin >= 0 && begin + x.shape()[1] <= INT32_MAX,
             fmt::format("first {} and the {} columns of {} do not fit i32", begin, x.shape()[1], shape_text(x)));
  const ColumnTiles tiles(tl, x);
  const std::int64_t count = tiles.tiles();
  tl.require(partials.shape()[0] >= count,
             fmt::format("{} has fewer rows than the {} tiles of {}", shape_text(partials), count, shape_text(x)));
  const tl::LocalShard mine = tl.shard(x);
  if (mine.elements > 0) {
    const std::int64_t height = mine.shape[0], width = mine.shape[1];
    const ColumnTiles::Place place = tiles.place(mine.first);
    const std::int64_t step = std::clamp<std::int64_t>(kLogitsAtOnce / width, 1, height);
    for (std::int64_t row = 0; row < height; row += step) {
      const tl::Scratch scope(tl);
      const std::int64_t rows = std::min(step, height - row);
      const Best best = best_of_rows(tl, mine.ptr + row * width, rows, width, begin + place.column);
      const Ptr to = partials + (2 * m * place.tile + place.row + row);
      const Future stored = tl.store_async(to, tl.view(best.values, 0, {rows}));
      tl.store(to.as(Dtype::i32) + m, tl.view(best.indices, 0, {rows}));
      tl.wait(stored);
    }
  }
  tl.barrier(tl::BarrierScope::sip);
  compare_cubes(tl, partials, m, count, indices, values);
}

}  // namespace

contract::Kernel argmax_rows_kernel() {
  return tl::make_kernel("argmax_rows", "the place of the largest element of each row, compared over all cubes",
                         {"x", "partials", "indices", "values", "first"}, argmax_rows);
}

}  // namespace kb::kernels
