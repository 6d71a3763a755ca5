// Element types of tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kb {

// e4m3 and e5m2 are the 8-bit floats of the OCP specification 1.0 (e4m3 has no infinities). i4 is the view that a
// matrix product has of an i8 tensor with two elements per byte; tensors cannot have this dtype (decision 0038).
enum class Dtype : std::uint8_t { f16, bf16, f32, i8, i16, i32, i64, e4m3, e5m2, i4 };
inline constexpr std::size_t kDtypes = static_cast<std::size_t>(Dtype::e5m2) + 1;  // number of dtypes for tensors

std::size_t item_size(Dtype dtype);                               // bytes per element; program Error DTYPE_ERROR for i4
std::uint64_t storage_bytes(Dtype dtype, std::int64_t elements);  // for i4 the number of elements is even
std::string_view dtype_name(Dtype dtype);                         // "f16"
// The functions accept and list only dtypes for tensors.
std::optional<Dtype> parse_dtype(std::string_view name);
const std::vector<std::string>& dtype_names();
const std::vector<std::string>& arithmetic_dtype_names();  // without the dtypes for storage only
constexpr bool is_float8(Dtype d) {
  return d == Dtype::e4m3 || d == Dtype::e5m2;
}
// True for dtypes that are only stored or used as operands of dot. All other operations need a cast before and after,
// or an unpack_int4 for i4.
constexpr bool is_storage(Dtype d) {
  return is_float8(d) || d == Dtype::i4;
}
constexpr bool is_float(Dtype d) {
  return d == Dtype::f16 || d == Dtype::bf16 || d == Dtype::f32 || is_float8(d);
}

using Shape = std::vector<std::int64_t>;
std::int64_t element_count(const Shape& shape);  // program Error SHAPE_ERROR above 2^59
std::string format_shape(const Shape& shape);    // "(512, 512)"

}  // namespace kb
