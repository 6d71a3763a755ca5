#include "kernels/attention/causal_mask.h"

namespace kb::kernels {
namespace {

using tl::TensorHandle;

// i32, the numbers of the rows less `origin`.
TensorHandle numbers(tl::Context& tl, const RowPair& rows, std::int64_t origin) {
  const auto of_range = [&](const RowRange& range) { return tl.arange(range.first - origin, range.end() - origin); };
  if (rows.high.count == 0) return of_range(rows.low);
  if (rows.low.count == 0) return of_range(rows.high);
  return tl.concat({of_range(rows.low), of_range(rows.high)});
}

}  // namespace

// token <= first_token + floor(row / rows_per_token) is (token - first_token) rows_per_token <= row.
TensorHandle causal_mask(tl::Context& tl, const Sight& sight, const RowPair& rows, const RowPair& keys) {
  const TensorHandle row = tl.view(numbers(tl, rows, 0), 0, {rows.count(), 1});
  const TensorHandle token = numbers(tl, keys, sight.first_token);
  return tl.le(sight.rows_per_token == 1 ? token : tl.mul(token, sight.rows_per_token), row);
}

}  // namespace kb::kernels
