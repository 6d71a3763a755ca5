#include "kernels/attention/balanced_rows.h"

#include <algorithm>

namespace kb::kernels {

RowPair RowPair::part(std::int64_t first, std::int64_t count) const {
  const std::int64_t from_low = std::clamp<std::int64_t>(low.count - first, 0, count);
  const std::int64_t before_high = std::max<std::int64_t>(0, first - low.count);
  return {{low.first + std::min(first, low.count), from_low}, {high.first + before_high, count - from_low}};
}

std::int64_t RowPair::count_before(std::int64_t row) const {
  return std::clamp<std::int64_t>(row - low.first, 0, low.count) +
         std::clamp<std::int64_t>(row - high.first, 0, high.count);
}

RowRange BalancedRows::part(std::int64_t index) const {
  const std::int64_t each = rows_ / parts_, longer = rows_ % parts_;
  return {index * each + std::min(index, longer), each + (index < longer ? 1 : 0)};
}

}  // namespace kb::kernels
