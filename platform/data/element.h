// Tensor bytes as numbers and back, in bulk; and reproducible contents for tests and workloads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/base/dtype.h"

namespace kb::data {

// Exact for every dtype but i64 (nearest double).
std::vector<double> to_doubles(Dtype dtype, const std::byte* bytes, std::size_t count);
std::vector<double> to_doubles(Dtype dtype, const std::vector<std::byte>& bytes);
// Integers only (model Error otherwise), sign-extended.
std::vector<std::int64_t> to_integers(Dtype dtype, const std::vector<std::byte>& bytes);

// One rounding to nearest even, every NaN as the positive quiet one; integers drop the fraction, program Error
// VALUE_ERROR when a value does not fit.
std::vector<std::byte> from_doubles(Dtype dtype, const std::vector<double>& values);
// Into integers: low bits (two's complement); into floats: one rounding to nearest even.
std::vector<std::byte> from_integers(Dtype dtype, const std::vector<std::int64_t>& values);

// The arithmetic of the engines: floats compute in f32, integers in 64-bit two's complement.
void widen(Dtype dtype, const std::byte* bytes, std::size_t count, float* out);           // floats
void widen(Dtype dtype, const std::byte* bytes, std::size_t count, std::int64_t* out);    // integers
void narrow(Dtype dtype, const float* values, std::size_t count, std::byte* out);         // nearest even
void narrow(Dtype dtype, const std::int64_t* values, std::size_t count, std::byte* out);  // low bits

// Element `index` of the pseudo-random stream `seed` (splitmix64); no state, so that shards can be made in any order.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index);
// Elements [first, first + count) of a stream of whole numbers in [-8, 8]: small sums and products of them are exact in
// every dtype.
std::vector<double> random_small_integers(std::uint64_t seed, std::size_t count, std::uint64_t first = 0);
// Elements of a stream of numbers uniform in [low, high).
std::vector<double> random_uniform(std::uint64_t seed, std::size_t count, double low, double high,
                                   std::uint64_t first = 0);

}  // namespace kb::data
