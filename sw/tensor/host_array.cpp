#include "sw/tensor/host_array.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/units.h"
#include "platform/data/element.h"
#include "platform/ops/op_types.h"

namespace kb::sw {
namespace {

std::size_t checked_bytes(const Shape& shape, Dtype dtype) {
  for (const std::int64_t size : shape) {
    if (size < 1) {
      throw Error::program("SHAPE_ERROR", fmt::format("array shape {} has a dimension below 1", format_shape(shape)));
    }
  }
  return static_cast<std::size_t>(element_count(shape)) * item_size(dtype);
}

// The system would allow an oversized allocation and then kill the process when the memory is used.
std::size_t bytes_in_memory(const Shape& shape, Dtype dtype) {
  const std::size_t nbytes = checked_bytes(shape, dtype);
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0 || nbytes / static_cast<std::size_t>(page) <= static_cast<std::size_t>(pages))
    return nbytes;
  throw Error::program("OUT_OF_MEMORY",
                       fmt::format("a {} array of shape {} needs {}, this computer has {} of memory; choose smaller "
                                   "parameters",
                                   dtype_name(dtype), format_shape(shape), format_size(nbytes),
                                   format_size(static_cast<std::size_t>(pages) * static_cast<std::size_t>(page))));
}

void check_count(const Shape& shape, std::size_t have, std::size_t want, const char* what) {
  if (have == want) return;
  throw Error::program("SHAPE_ERROR", fmt::format("an array of shape {} has {} {}, but {} were given",
                                                  format_shape(shape), want, what, have));
}

// values(first, count) returns doubles piece by piece, because a large array may not fit memory as doubles.
template <typename Values>
HostArray made_in_pieces(Shape shape, Dtype dtype, Values values) {
  constexpr std::size_t kPiece = 1 << 16;
  HostArray out(std::move(shape), dtype);
  const std::size_t item = item_size(dtype);
  const std::size_t total = out.bytes().size() / item;
  for (std::size_t first = 0; first < total; first += kPiece) {
    const std::vector<std::byte> piece = data::from_doubles(dtype, values(first, std::min(kPiece, total - first)));
    std::copy(piece.begin(), piece.end(), out.bytes().begin() + static_cast<std::ptrdiff_t>(first * item));
  }
  return out;
}

}  // namespace

HostArray::HostArray(Shape shape, Dtype dtype)
    : shape_(std::move(shape)), dtype_(dtype), bytes_(bytes_in_memory(shape_, dtype)) {}

HostArray::HostArray(Shape shape, Dtype dtype, std::vector<std::byte> bytes)
    : shape_(std::move(shape)), dtype_(dtype), bytes_(std::move(bytes)) {
  check_count(shape_, bytes_.size(), checked_bytes(shape_, dtype), "bytes");
}

HostArray HostArray::from_doubles(Shape shape, Dtype dtype, const std::vector<double>& values) {
  const std::size_t want = checked_bytes(shape, dtype) / item_size(dtype);
  check_count(shape, values.size(), want, "elements");
  return {std::move(shape), dtype, data::from_doubles(dtype, values)};
}

HostArray HostArray::full(Shape shape, Dtype dtype, double value) {
  const std::size_t count = bytes_in_memory(shape, dtype) / item_size(dtype);
  return {std::move(shape), dtype, data::from_doubles(dtype, std::vector<double>(count, value))};
}

HostArray HostArray::random_integers(Shape shape, Dtype dtype, std::uint64_t seed) {
  return made_in_pieces(std::move(shape), dtype, [&](std::uint64_t first, std::size_t count) {
    return data::random_small_integers(seed, count, first);
  });
}

HostArray HostArray::random(Shape shape, Dtype dtype, std::uint64_t seed) {
  if (!is_float(dtype)) return random_integers(std::move(shape), dtype, seed);
  return made_in_pieces(std::move(shape), dtype, [&](std::uint64_t first, std::size_t count) {
    return data::random_uniform(seed, count, -1.0, 1.0, first);
  });
}

HostArray HostArray::unknown(Shape shape, Dtype dtype) {
  checked_bytes(shape, dtype);
  HostArray out;
  out.shape_ = std::move(shape);
  out.dtype_ = dtype;
  out.placeholder_ = true;
  return out;
}

std::vector<double> HostArray::to_doubles() const {
  return data::to_doubles(dtype_, bytes_);
}

std::vector<std::int64_t> HostArray::to_integers() const {
  return data::to_integers(dtype_, bytes_);
}

double HostArray::at(std::int64_t row, std::int64_t col) const {
  if (shape_.size() != 2 || row < 0 || col < 0 || row >= shape_[0] || col >= shape_[1]) {
    throw Error::program("SHAPE_ERROR", fmt::format("element ({}, {}) is outside of an array of shape {}", row, col,
                                                    format_shape(shape_)));
  }
  const auto index = static_cast<std::size_t>(row * shape_[1] + col);
  return decode_element(dtype_, bytes_.data() + index * item_size(dtype_));
}

std::string HostArray::to_string(std::int64_t limit) const {
  std::string out = fmt::format("{} {}", dtype_name(dtype_), format_shape(shape_));
  if (placeholder_) return out + " placeholder (the run computes no data)";
  if (shape_.size() != 2) return out;
  const std::int64_t rows = std::min(shape_[0], limit);
  const std::int64_t cols = std::min(shape_[1], limit);
  for (std::int64_t r = 0; r < rows; ++r) {
    out += "\n ";
    for (std::int64_t c = 0; c < cols; ++c) out += fmt::format(" {:>10.5g}", at(r, c));
    if (cols < shape_[1]) out += " ...";
  }
  if (rows < shape_[0]) out += "\n  ...";
  return out;
}

}  // namespace kb::sw
