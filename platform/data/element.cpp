#include "platform/data/element.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "platform/base/error.h"
#include "platform/base/float8.h"
#include "platform/base/int4.h"
#include "platform/base/round_to_odd.h"
#include "platform/data/float_codec.h"
#include "platform/ops/op_types.h"

namespace kb::data {
namespace {

template <typename Stored, typename Wide>
void widen_as(const std::byte* bytes, std::size_t count, Wide* out) {
  for (std::size_t i = 0; i < count; ++i) {
    Stored value;
    std::memcpy(&value, bytes + i * sizeof(Stored), sizeof value);
    out[i] = static_cast<Wide>(value);
  }
}

template <typename Stored>
void narrow_as(const std::int64_t* values, std::size_t count, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<Stored>(static_cast<std::uint64_t>(values[i]));
    std::memcpy(out + i * sizeof value, &value, sizeof value);
  }
}

// Every NaN becomes the positive quiet one.
template <typename Stored>
void narrow_as(const float* values, std::size_t count, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = std::isnan(values[i]) ? std::numeric_limits<Stored>::quiet_NaN() : Stored(values[i]);
    std::memcpy(out + i * sizeof value, &value, sizeof value);
  }
}

std::uint8_t canonical_float8(Dtype dtype, double value) {
  const std::uint8_t bits = encode_float8(dtype, value);
  return std::isnan(decode_float8(dtype, bits)) ? encode_float8(dtype, std::numeric_limits<double>::quiet_NaN()) : bits;
}

constexpr std::size_t kPieceElements = 4096;  // even, as a byte holds two of i4

// Converts in pieces, so that there is no second copy of the whole result.
template <typename Wide>
void widen_all(Dtype dtype, const std::byte* bytes, std::vector<double>& out) {
  std::array<Wide, kPieceElements> piece;
  for (std::size_t first = 0; first < out.size(); first += piece.size()) {
    const std::size_t count = std::min(piece.size(), out.size() - first);
    widen(dtype, bytes + storage_bytes(dtype, static_cast<std::int64_t>(first)), count, piece.data());
    for (std::size_t i = 0; i < count; ++i) out[first + i] = static_cast<double>(piece[i]);
  }
}

[[noreturn]] void fail_class(Dtype dtype, std::string_view wanted) {
  throw Error::model(fmt::format("data engine: {} elements are not {}", dtype_name(dtype), wanted));
}

}  // namespace

void widen(Dtype dtype, const std::byte* bytes, std::size_t count, float* out) {
  switch (dtype) {
    case Dtype::f16:
      return f16_to_f32(bytes, count, out);
    case Dtype::bf16:
      return widen_as<Eigen::bfloat16>(bytes, count, out);
    case Dtype::f32:
      if (count > 0) std::memcpy(out, bytes, count * sizeof(float));
      return;
    case Dtype::e4m3:
    case Dtype::e5m2:
      for (std::size_t i = 0; i < count; ++i) {
        out[i] = static_cast<float>(decode_float8(dtype, static_cast<std::uint8_t>(bytes[i])));
      }
      return;
    case Dtype::i4:
      for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(int4_at(bytes, i));
      return;
    default:
      fail_class(dtype, "floats");
  }
}

void widen(Dtype dtype, const std::byte* bytes, std::size_t count, std::int64_t* out) {
  switch (dtype) {
    case Dtype::i8:
      return widen_as<std::int8_t>(bytes, count, out);
    case Dtype::i16:
      return widen_as<std::int16_t>(bytes, count, out);
    case Dtype::i32:
      return widen_as<std::int32_t>(bytes, count, out);
    case Dtype::i64:
      return widen_as<std::int64_t>(bytes, count, out);
    case Dtype::i4:
      for (std::size_t i = 0; i < count; ++i) out[i] = int4_at(bytes, i);
      return;
    default:
      fail_class(dtype, "integers");
  }
}

void narrow(Dtype dtype, const float* values, std::size_t count, std::byte* out) {
  switch (dtype) {
    case Dtype::f16:
      return f32_to_f16(values, count, out);
    case Dtype::bf16:
      return narrow_as<Eigen::bfloat16>(values, count, out);
    case Dtype::f32:
      return narrow_as<float>(values, count, out);
    case Dtype::e4m3:
    case Dtype::e5m2:
      for (std::size_t i = 0; i < count; ++i) {
        out[i] = static_cast<std::byte>(canonical_float8(dtype, double{values[i]}));
      }
      return;
    default:
      fail_class(dtype, "floats");
  }
}

void narrow(Dtype dtype, const std::int64_t* values, std::size_t count, std::byte* out) {
  switch (dtype) {
    case Dtype::i8:
      return narrow_as<std::uint8_t>(values, count, out);
    case Dtype::i16:
      return narrow_as<std::uint16_t>(values, count, out);
    case Dtype::i32:
      return narrow_as<std::uint32_t>(values, count, out);
    case Dtype::i64:
      return narrow_as<std::uint64_t>(values, count, out);
    default:
      fail_class(dtype, "integers");
  }
}

std::vector<double> to_doubles(Dtype dtype, const std::byte* bytes, std::size_t count) {
  std::vector<double> out(count);
  if (is_float(dtype)) {
    widen_all<float>(dtype, bytes, out);
  } else {
    widen_all<std::int64_t>(dtype, bytes, out);
  }
  return out;
}

std::vector<double> to_doubles(Dtype dtype, const std::vector<std::byte>& bytes) {
  return to_doubles(dtype, bytes.data(), bytes.size() / item_size(dtype));
}

std::vector<std::int64_t> to_integers(Dtype dtype, const std::vector<std::byte>& bytes) {
  std::vector<std::int64_t> values(bytes.size() / item_size(dtype));
  widen(dtype, bytes.data(), values.size(), values.data());
  return values;
}

std::vector<std::byte> from_doubles(Dtype dtype, const std::vector<double>& values) {
  const std::size_t size = item_size(dtype);
  std::vector<std::byte> bytes(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    const float single = static_cast<float>(value);
    const bool exact = static_cast<double>(single) == value || std::isnan(value);
    if (is_float(dtype) && (exact || dtype == Dtype::f32)) {
      narrow(dtype, &single, 1, bytes.data() + i * size);
    } else {
      // Rounds once; an intermediate f32 would round twice.
      const std::uint64_t bits = is_float8(dtype) ? canonical_float8(dtype, value) : encode_element(dtype, value);
      std::memcpy(bytes.data() + i * size, &bits, size);
    }
  }
  return bytes;
}

std::vector<std::byte> from_integers(Dtype dtype, const std::vector<std::int64_t>& values) {
  std::vector<std::byte> bytes(values.size() * item_size(dtype));
  if (is_float(dtype)) {
    std::vector<double> reals(values.size());
    std::transform(values.begin(), values.end(), reals.begin(), odd_double);
    return from_doubles(dtype, reals);
  }
  narrow(dtype, values.data(), values.size(), bytes.data());
  return bytes;
}

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::vector<double> random_small_integers(std::uint64_t seed, std::size_t count, std::uint64_t first) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(random_bits(seed, first + i) % 17) - 8.0;
  return values;
}

std::vector<double> random_uniform(std::uint64_t seed, std::size_t count, double low, double high,
                                   std::uint64_t first) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = low + (high - low) * (static_cast<double>(random_bits(seed, first + i) >> 11) * 0x1.0p-53);
  }
  return values;
}

}  // namespace kb::data
