#include "sw/benches/deployed.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kb::sw {

namespace {

Deployed deploy(Runtime& runtime, HostArray values, const DPPolicy& policy, const std::string& name) {
  Deployed out{runtime.empty(values.shape(), values.dtype(), policy, name), std::move(values)};
  out.tensor.copy_(out.values);
  return out;
}

}  // namespace

Deployed deploy_random(Runtime& runtime, const Shape& shape, Dtype dtype, const DPPolicy& policy,
                       const std::string& name, std::uint64_t seed) {
  return deploy(runtime,
                runtime.computes_data() ? HostArray::random(shape, dtype, seed) : HostArray::unknown(shape, dtype),
                policy, name);
}

Deployed deploy_positive(Runtime& runtime, const Shape& shape, Dtype dtype, const DPPolicy& policy,
                         const std::string& name, std::uint64_t seed) {
  if (!runtime.computes_data()) return deploy(runtime, HostArray::unknown(shape, dtype), policy, name);
  std::vector<double> values = HostArray::random(shape, dtype, seed).to_doubles();
  for (double& value : values) value = 0.5 + 0.5 * std::abs(value);
  return deploy(runtime, HostArray::from_doubles(shape, dtype, values), policy, name);
}

std::vector<std::int64_t> spread(std::int64_t count, std::int64_t limit) {
  const std::int64_t taken = std::min(count, limit);
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < taken; ++i) out.push_back(taken == 1 ? 0 : i * (count - 1) / (taken - 1));
  return out;
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
