// Tensors with random contents, and parts of large results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/runtime/runtime.h"

namespace kb::sw {

// A tensor on the device and what was written to it; `values` has no bytes when the run computes no data.
struct Deployed {
  Tensor tensor;
  HostArray values;
};
// Contents as HostArray::random.
Deployed deploy_random(Runtime& runtime, const Shape& shape, Dtype dtype, const DPPolicy& policy,
                       const std::string& name, std::uint64_t seed);
// Floats in [0.5, 1): what logarithms, roots and divisors are defined for, far from overflow in every dtype.
Deployed deploy_positive(Runtime& runtime, const Shape& shape, Dtype dtype, const DPPolicy& policy,
                         const std::string& name, std::uint64_t seed);

// Up to `limit` of 0 .. count-1, evenly spaced, the first and the last among them.
std::vector<std::int64_t> spread(std::int64_t count, std::int64_t limit);
// Those columns of a two-dimensional array.
HostArray take_columns(const HostArray& array, const std::vector<std::int64_t>& columns);

}  // namespace kb::sw
