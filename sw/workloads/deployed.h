// Tensors with contents, and parts of large results.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sw/runtime/runtime.h"

namespace kb::sw {

// A tensor on the device and what was written to it; `values` has no bytes when the run computes no data.
struct Deployed {
  Tensor tensor;
  HostArray values;
};
// `values` makes the contents when the run computes data.
Deployed deploy(Runtime& runtime, const Shape& shape, Dtype dtype, const DPPolicy& policy, const std::string& name,
                const std::function<HostArray()>& values);

// Up to `limit` of 0 .. count-1, evenly spaced, the first and the last among them.
std::vector<std::int64_t> spread(std::int64_t count, std::int64_t limit);
// Those columns of a two-dimensional array.
HostArray take_columns(const HostArray& array, const std::vector<std::int64_t>& columns);

}  // namespace kb::sw
