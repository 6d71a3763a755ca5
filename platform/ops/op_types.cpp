#include "platform/ops/op_types.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/float8.h"
#include "platform/base/round_to_odd.h"

namespace kb {
namespace {

using Eigen::numext::bit_cast;

std::uint64_t low_bits(Dtype dtype, std::int64_t value) {
  return static_cast<std::uint64_t>(value) & (~std::uint64_t{0} >> (64 - item_size(dtype) * 8));
}

template <typename T>
double load_as_double(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

}  // namespace

std::uint64_t total_bytes(const std::vector<Extent>& extents) {
  std::uint64_t sum = 0;
  for (const Extent& extent : extents) sum += extent.nbytes;
  return sum;
}

OperandRef OperandRef::tensor(std::vector<Extent> extents, Shape shape, Dtype dtype, bool transposed) {
  return {std::move(extents), std::move(shape), dtype, transposed, std::nullopt};
}

OperandRef OperandRef::number(Scalar value, Dtype dtype) {
  return {{}, {}, dtype, false, value};
}

std::uint64_t OperandRef::nbytes() const {
  return storage_bytes(dtype, element_count(shape));
}

std::string format_operand(const OperandRef& operand) {
  if (operand.immediate) {
    return std::visit([&](auto v) { return fmt::format("{} number {}", dtype_name(operand.dtype), v); },
                      *operand.immediate);
  }
  return fmt::format("{} {}{}", dtype_name(operand.dtype), format_shape(operand.shape),
                     operand.transposed ? " transposed" : "");
}

std::uint64_t encode_element(Dtype dtype, double value) {
  switch (dtype) {
    case Dtype::f16:
      return bit_cast<std::uint16_t>(Eigen::half(odd_float(value)));
    case Dtype::bf16:
      return bit_cast<std::uint16_t>(Eigen::bfloat16(odd_float(value)));
    case Dtype::f32:
      return bit_cast<std::uint32_t>(static_cast<float>(value));
    case Dtype::e4m3:
    case Dtype::e5m2:
      return encode_float8(dtype, value);
    default:
      break;
  }
  const int bits = static_cast<int>(item_size(dtype)) * 8;
  const double limit = std::scalbn(1.0, bits - 1);  // exact: the first value that does not fit
  const double whole = std::trunc(value);
  if (!std::isfinite(value) || whole < -limit || whole >= limit) {
    throw Error::program("VALUE_ERROR", fmt::format("{} does not fit into {}", value, dtype_name(dtype)));
  }
  return low_bits(dtype, static_cast<std::int64_t>(whole));
}

std::uint64_t encode_element(Dtype dtype, const Scalar& value) {
  const std::int64_t* whole = std::get_if<std::int64_t>(&value);
  if (whole == nullptr) return encode_element(dtype, std::get<double>(value));
  if (is_float(dtype)) return encode_element(dtype, odd_double(*whole));
  if (!fits(dtype, *whole)) {
    throw Error::program("VALUE_ERROR", fmt::format("{} does not fit into {}", *whole, dtype_name(dtype)));
  }
  return low_bits(dtype, *whole);
}

bool fits(Dtype dtype, std::int64_t value) {
  const int unused = 64 - static_cast<int>(item_size(dtype)) * 8;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << unused) >> unused == value;
}

double decode_element(Dtype dtype, const std::byte* bytes) {
  switch (dtype) {
    case Dtype::f16:
      return load_as_double<Eigen::half>(bytes);
    case Dtype::bf16:
      return load_as_double<Eigen::bfloat16>(bytes);
    case Dtype::f32:
      return load_as_double<float>(bytes);
    case Dtype::i8:
      return load_as_double<std::int8_t>(bytes);
    case Dtype::i16:
      return load_as_double<std::int16_t>(bytes);
    case Dtype::i32:
      return load_as_double<std::int32_t>(bytes);
    case Dtype::i64:
      return load_as_double<std::int64_t>(bytes);
    case Dtype::e4m3:
    case Dtype::e5m2:
      return decode_float8(dtype, static_cast<std::uint8_t>(*bytes));
    case Dtype::i4:
      break;
  }
  throw Error::model(fmt::format("an element of {} has no bytes of its own", dtype_name(dtype)));
}

}  // namespace kb
