#include "sw/workloads/deployed.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "platform/data/element.h"

namespace kb::sw {

// The tensor is created first, so that contents that fit no device are never generated.
Deployed deploy(Runtime& runtime, const Shape& shape, Dtype dtype, const DPPolicy& policy, const std::string& name,
                const std::function<HostArray()>& values) {
  Deployed out;
  out.tensor = runtime.empty(shape, dtype, policy, name);
  out.values = runtime.computes_data() ? values() : HostArray::unknown(shape, dtype);
  out.tensor.copy_(out.values);
  return out;
}

std::vector<std::int64_t> spread(std::int64_t count, std::int64_t limit) {
  const std::int64_t taken = std::min(count, limit);
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < taken; ++i) out.push_back(taken == 1 ? 0 : i * (count - 1) / (taken - 1));
  return out;
}

std::set<std::int64_t> non_finite_lines(const HostArray& matrix, std::size_t axis, std::int64_t limit) {
  std::set<std::int64_t> lines;
  if (!is_float(matrix.dtype())) return lines;
  const auto width = static_cast<std::size_t>(matrix.shape()[1]);
  // one at a time, because the matrix would be large as doubles
  for (std::int64_t row = 0; row < matrix.shape()[0]; ++row) {
    const std::byte* const from =
        matrix.bytes().data() + static_cast<std::size_t>(row) * width * item_size(matrix.dtype());
    const std::vector<double> values = data::to_doubles(matrix.dtype(), from, width);
    for (std::size_t column = 0; column < width; ++column) {
      if (std::isfinite(values[column])) continue;
      if (static_cast<std::int64_t>(lines.size()) == limit) return lines;
      lines.insert(axis == 0 ? row : static_cast<std::int64_t>(column));
    }
  }
  return lines;
}

std::vector<std::int64_t> lines_to_compare(const HostArray& matrix, std::size_t axis, std::int64_t limit) {
  std::set<std::int64_t> lines = non_finite_lines(matrix, axis, limit);
  const std::vector<std::int64_t> spaced = spread(matrix.shape()[axis], limit);
  lines.insert(spaced.begin(), spaced.end());
  return {lines.begin(), lines.end()};
}

HostArray take_columns(const HostArray& array, const std::vector<std::int64_t>& columns) {
  const std::size_t item = item_size(array.dtype());
  const auto width = static_cast<std::size_t>(array.shape()[1]);
  HostArray out({array.shape()[0], static_cast<std::int64_t>(columns.size())}, array.dtype());
  std::byte* to = out.bytes().data();
  for (std::size_t row = 0; row < static_cast<std::size_t>(array.shape()[0]); ++row) {
    for (const std::int64_t column : columns) {
      std::memcpy(to, array.bytes().data() + (row * width + static_cast<std::size_t>(column)) * item, item);
      to += item;
    }
  }
  return out;
}

}  // namespace kb::sw
