#include "kernels/attention/causal_mask.h"

namespace kb::kernels {
namespace {

using tl::TensorHandle;

// The row numbers minus `origin`, as i32.
TensorHandle numbers(tl::Context& tl, const RowPair& rows, std::int64_t origin) {
  const auto of_range = [&](const RowRange& range) { return tl.arange(range.first - origin, range.end() - origin); };
  if (rows.high.count == 0) return of_range(rows.low);
  if (rows.low.count == 0) return of_range(rows.high);
  return tl.concat({of_range(rows.low), of_range(rows.high)});
}

}  // namespace

// The condition token <= first_token + floor(row / rows_per_token), as (token - first_token) rows_per_token <= row.
TensorHandle causal_mask(tl::Context& tl, const AttentionMask& sight, const RowPair& rows, const RowPair& keys) {
  const TensorHandle row = tl.view(numbers(tl, rows, 0), 0, {rows.count(), 1});
  const TensorHandle token = numbers(tl, keys, sight.first_token);
  return tl.le(sight.rows_per_token == 1 ? token : tl.mul(token, sight.rows_per_token), row);
}

}  // namespace kb::kernels
