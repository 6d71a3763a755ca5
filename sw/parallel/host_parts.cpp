#include "sw/parallel/host_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "platform/base/error.h"

namespace kb::sw {
namespace {

std::size_t row_bytes(const HostArray& array) {
  return static_cast<std::size_t>(array.shape()[1]) * item_size(array.dtype());
}

}  // namespace

HostArray columns_of(const HostArray& array, std::int64_t first, std::int64_t count) {
  Shape shape{array.shape()[0], count};
  if (array.bytes().empty()) return HostArray::unknown(std::move(shape), array.dtype());
  HostArray out(std::move(shape), array.dtype());
  const std::size_t item = item_size(array.dtype()), width = row_bytes(array), part = row_bytes(out);
  const std::int64_t there = std::clamp<std::int64_t>(array.shape()[1] - first, 0, count);
  if (there == 0) return out;
  for (std::size_t row = 0; row < static_cast<std::size_t>(array.shape()[0]); ++row) {
    std::memcpy(out.bytes().data() + row * part,
                array.bytes().data() + row * width + static_cast<std::size_t>(first) * item,
                static_cast<std::size_t>(there) * item);
  }
  return out;
}

HostArray rows_of(const HostArray& array, std::int64_t first, std::int64_t count) {
  Shape shape{count, array.shape()[1]};
  if (array.bytes().empty()) return HostArray::unknown(std::move(shape), array.dtype());
  HostArray out(std::move(shape), array.dtype());
  const std::int64_t there = std::clamp<std::int64_t>(array.shape()[0] - first, 0, count);
  if (there == 0) return out;
  std::memcpy(out.bytes().data(), array.bytes().data() + static_cast<std::size_t>(first) * row_bytes(array),
              static_cast<std::size_t>(there) * row_bytes(array));
  return out;
}

HostArray side_by_side(const HostArray& left, const HostArray& right) {
  Shape shape{left.shape()[0], left.shape()[1] + right.shape()[1]};
  if (left.bytes().empty() || right.bytes().empty()) return HostArray::unknown(std::move(shape), left.dtype());
  HostArray out(std::move(shape), left.dtype());
  const std::size_t a = row_bytes(left), b = row_bytes(right);
  for (std::size_t row = 0; row < static_cast<std::size_t>(left.shape()[0]); ++row) {
    std::memcpy(out.bytes().data() + row * (a + b), left.bytes().data() + row * a, a);
    std::memcpy(out.bytes().data() + row * (a + b) + a, right.bytes().data() + row * b, b);
  }
  return out;
}

void require_array(const std::string& what, const HostArray& array, const Shape& shape, Dtype dtype) {
  if (array.shape() != shape) {
    throw Error::program("SHAPE_ERROR",
                         fmt::format("{} is {}, not {}", what, format_shape(shape), format_shape(array.shape())));
  }
  if (array.dtype() == dtype) return;
  throw Error::program("DTYPE_ERROR",
                       fmt::format("{} is {}, not {}", what, dtype_name(dtype), dtype_name(array.dtype())));
}

}  // namespace kb::sw
