#include "platform/base/dtype.h"

#include <array>

#include "platform/base/error.h"

namespace kb {
namespace {
struct Row {
  Dtype dtype;
  std::string_view name;
  std::size_t size;
};
constexpr std::array<Row, kDtypes> kOfTensors{{{Dtype::f16, "f16", 2},
                                               {Dtype::bf16, "bf16", 2},
                                               {Dtype::f32, "f32", 4},
                                               {Dtype::i8, "i8", 1},
                                               {Dtype::i16, "i16", 2},
                                               {Dtype::i32, "i32", 4},
                                               {Dtype::i64, "i64", 8},
                                               {Dtype::e4m3, "e4m3", 1},
                                               {Dtype::e5m2, "e5m2", 1}}};
const Row& row(Dtype dtype) {
  return kOfTensors[static_cast<std::size_t>(dtype)];
}
}  // namespace

std::size_t item_size(Dtype dtype) {
  if (dtype == Dtype::i4) {
    throw Error::program("DTYPE_ERROR",
                         "two elements of i4 share a byte, and no tensor is made of them; keep them in an i8 tensor of "
                         "half as many columns, and give tl.int4(x) to dot and composites");
  }
  return row(dtype).size;
}

std::uint64_t storage_bytes(Dtype dtype, std::int64_t elements) {
  const auto count = static_cast<std::uint64_t>(elements);
  return dtype == Dtype::i4 ? count / 2 : count * row(dtype).size;
}

std::string_view dtype_name(Dtype dtype) {
  return dtype == Dtype::i4 ? "i4" : row(dtype).name;
}

std::optional<Dtype> parse_dtype(std::string_view name) {
  for (const Row& r : kOfTensors) {
    if (r.name == name) return r.dtype;
  }
  return std::nullopt;
}

const std::vector<std::string>& dtype_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    out.reserve(kOfTensors.size());
    for (const Row& r : kOfTensors) out.emplace_back(r.name);
    return out;
  }();
  return names;
}

const std::vector<std::string>& arithmetic_dtype_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Row& r : kOfTensors) {
      if (!is_storage(r.dtype)) out.emplace_back(r.name);
    }
    return out;
  }();
  return names;
}

std::int64_t element_count(const Shape& shape) {
  constexpr std::int64_t kMax = std::int64_t{1} << 59;  // their size in bytes still fits 64 bits
  std::int64_t count = 1;
  for (const std::int64_t dimension : shape) {
    if (__builtin_mul_overflow(count, dimension, &count) || count > kMax) {
      throw Error::program("SHAPE_ERROR", "shape " + format_shape(shape) +
                                              " has more elements than can be addressed, " + std::to_string(kMax));
    }
  }
  return count;
}

std::string format_shape(const Shape& shape) {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) out += ", ";
    out += std::to_string(shape[i]);
  }
  return out + ")";
}

}  // namespace kb
