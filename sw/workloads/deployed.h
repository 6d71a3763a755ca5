// Tensors with contents, and selected parts of large results.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "sw/runtime/runtime.h"

namespace kb::sw {

// A tensor on the device and its contents; `values` has no bytes when the run computes no data.
struct Deployed {
  Tensor tensor;
  HostArray values;
};
// `values` generates the contents when the run computes data.
Deployed deploy(Runtime& runtime, const Shape& shape, Dtype dtype, const DPPolicy& policy, const std::string& name,
                const std::function<HostArray()>& values);

// Up to `limit` evenly spaced numbers of 0 .. count-1, including the first and the last.
std::vector<std::int64_t> spread(std::int64_t count, std::int64_t limit);
// Up to `limit` rows (axis 0) or columns (axis 1) of a matrix that contain a NaN or an infinity.
std::set<std::int64_t> non_finite_lines(const HostArray& matrix, std::size_t axis, std::int64_t limit);
// Rows or columns to compare when there are too many: `limit` evenly spaced ones, and those of non_finite_lines().
std::vector<std::int64_t> lines_to_compare(const HostArray& matrix, std::size_t axis, std::int64_t limit);
// These columns of a two-dimensional array.
HostArray take_columns(const HostArray& array, const std::vector<std::int64_t>& columns);

}  // namespace kb::sw
