// Initial weights that layers generate from a seed.
#pragma once

#include <cstdint>

#include "sw/tensor/host_array.h"

namespace kb::sw {

// uniform: reals in +-1 / sqrt(in). signs: a few values +- a power of two, and zeros, so that sums of integers are
// exact and other sums have few terms.
enum class InitialValues : std::uint8_t { uniform, signs };

// W (in, out) and b (1, out) of a layer, independent of the number of ranks.
HostArray seeded_weight(std::int64_t in, std::int64_t out, Dtype dtype, std::uint64_t seed,
                        InitialValues values = InitialValues::uniform);
HostArray seeded_bias(std::int64_t in, std::int64_t out, Dtype dtype, std::uint64_t seed,
                      InitialValues values = InitialValues::uniform);

// A weight with values 0, `scale` and -`scale`. A column is non-zero in a group of about 16 neighbouring rows, and each
// row is non-zero in some column. When ranks share the rows, at most two of them have the terms of a column.
HostArray sparse_signs(std::int64_t in, std::int64_t out, Dtype dtype, std::uint64_t seed, double scale = 1);
// An array of `shape` with elements drawn from `values` by pseudo-random bits of the seed.
HostArray drawn_from(const std::vector<double>& values, const Shape& shape, Dtype dtype, std::uint64_t seed);

}  // namespace kb::sw
