// Checks for integer results that must fit their dtype (P-90).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "platform/ops/op_types.h"

namespace kb::data {

__extension__ typedef __int128 Int128;

// The program Error VALUE_ERROR names `what`, the first element of `shape` that does not fit `dtype`, and the remedy.
void require_fit(std::string_view what, Dtype dtype, const Shape& shape, const std::vector<std::int64_t>& values,
                 std::string_view remedy);
// The same check on exact values; returns them as 64-bit integers.
std::vector<std::int64_t> fitting(std::string_view what, Dtype dtype, const Shape& shape,
                                  const std::vector<Int128>& values, std::string_view remedy);

// Multiplies columns [begin, end) of a (m, k) by the same rows of b (k, n), row-major, and adds `added` (m, n) unless
// it is empty. Every result is exact; VALUE_ERROR when one does not fit `acc`, i32 or i64.
std::vector<std::int64_t> integer_product(const Shape& shape, std::int64_t k, std::int64_t begin, std::int64_t end,
                                          const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b,
                                          const std::vector<std::int64_t>& added, Dtype acc);

// True when no sum of `terms` products of numbers up to these magnitudes, plus a number of magnitude `added`, can
// overflow `acc`.
bool sums_fit(Dtype acc, std::int64_t terms, std::uint64_t left, std::uint64_t right, std::uint64_t added);
std::uint64_t largest_magnitude(const std::vector<std::int64_t>& values);

}  // namespace kb::data
