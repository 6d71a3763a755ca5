// Contents that layers get from a seed.
#pragma once

#include <cstdint>

#include "sw/tensor/host_array.h"

namespace kb::sw {

// uniform: reals in +-1 / sqrt(in). signs: few numbers that are a power of two or its opposite, and zeros, so that sums
// of whole numbers are exact and those of other values have few terms.
enum class InitialValues : std::uint8_t { uniform, signs };

// W (in, out) and b (1, out) of a layer, the same for every number of ranks.
HostArray seeded_weight(std::int64_t in, std::int64_t out, Dtype dtype, std::uint64_t seed,
                        InitialValues values = InitialValues::uniform);
HostArray seeded_bias(std::int64_t in, std::int64_t out, Dtype dtype, std::uint64_t seed,
                      InitialValues values = InitialValues::uniform);

// A weight of zeros, `scale` and its opposite: a column is not zero in a group of some 16 neighbouring rows, and each
// row is not zero in some column. Ranks that share the rows have all of a column's terms, or two of them have.
HostArray sparse_signs(std::int64_t in, std::int64_t out, Dtype dtype, std::uint64_t seed, double scale = 1);
// Elements of `shape`, each one of `values`, as pseudo-random bits of the seed say.
HostArray drawn_from(const std::vector<double>& values, const Shape& shape, Dtype dtype, std::uint64_t seed);

}  // namespace kb::sw
