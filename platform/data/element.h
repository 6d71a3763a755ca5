// Bulk conversion between tensor bytes and numbers, and reproducible contents for tests and workloads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/base/dtype.h"

namespace kb::data {

// Exact for every dtype except i64, which converts to the nearest double.
std::vector<double> to_doubles(Dtype dtype, const std::byte* bytes, std::size_t count);
std::vector<double> to_doubles(Dtype dtype, const std::vector<std::byte>& bytes);
// Sign-extends integers; model Error for other dtypes.
std::vector<std::int64_t> to_integers(Dtype dtype, const std::vector<std::byte>& bytes);

// Rounds once to nearest even and writes every NaN as the positive quiet one. Integers drop the fraction; program Error
// VALUE_ERROR when a value does not fit.
std::vector<std::byte> from_doubles(Dtype dtype, const std::vector<double>& values);
// To integers: the low bits (two's complement). To floats: one rounding to nearest even.
std::vector<std::byte> from_integers(Dtype dtype, const std::vector<std::int64_t>& values);

// Conversions for the engines' arithmetic: floats compute in f32, integers in 64-bit two's complement.
void widen(Dtype dtype, const std::byte* bytes, std::size_t count, float* out);           // floats
void widen(Dtype dtype, const std::byte* bytes, std::size_t count, std::int64_t* out);    // integers
void narrow(Dtype dtype, const float* values, std::size_t count, std::byte* out);         // rounds to nearest even
void narrow(Dtype dtype, const std::int64_t* values, std::size_t count, std::byte* out);  // keeps the low bits

// Element `index` of the pseudo-random stream `seed` (splitmix64). It has no state, so that shards can be generated in
// any order.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index);
// Elements [first, first + count) of a stream of integers in [-8, 8], whose small sums and products are exact in every
// dtype.
std::vector<double> random_small_integers(std::uint64_t seed, std::size_t count, std::uint64_t first = 0);
// Elements of a stream of numbers uniform in [low, high).
std::vector<double> random_uniform(std::uint64_t seed, std::size_t count, double low, double high,
                                   std::uint64_t first = 0);

}  // namespace kb::data
