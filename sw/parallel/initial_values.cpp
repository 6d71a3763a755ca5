#include "sw/parallel/initial_values.h"

#include <algorithm>
#include <cmath>

#include "platform/data/element.h"

namespace kb::sw {
namespace {

constexpr std::uint64_t kBiasSeed = 0x9e3779b97f4a7c15;  // differs from the seeds of all weights
constexpr std::int64_t kTerms = 16;                      // non-zero terms per column of signs

// Number of non-zero rows per column; large enough that every row is non-zero in some column.
std::int64_t terms_of_signs(std::int64_t in, std::int64_t out) {
  return std::min(in, std::max(kTerms, (in + out - 1) / out));
}

HostArray uniform(const Shape& shape, Dtype dtype, std::uint64_t seed, std::int64_t in) {
  const HostArray random = HostArray::random(shape, dtype, seed);
  if (!is_float(dtype)) return random;
  std::vector<double> values = random.to_doubles();
  const double scale = 1 / std::sqrt(static_cast<double>(in));
  for (double& value : values) value *= scale;
  return HostArray::from_doubles(shape, dtype, values);
}

// The power of two nearest to 1 / sqrt(terms of a column).
double scale_of_signs(std::int64_t in, std::int64_t out) {
  return std::exp2(-std::round(std::log2(static_cast<double>(terms_of_signs(in, out))) / 2));
}

}  // namespace

HostArray seeded_weight(std::int64_t in, std::int64_t out, Dtype dtype, std::uint64_t seed, InitialValues values) {
  if (values == InitialValues::uniform || !is_float(dtype)) return uniform({in, out}, dtype, seed, in);
  return sparse_signs(in, out, dtype, seed, scale_of_signs(in, out));
}

HostArray seeded_bias(std::int64_t in, std::int64_t out, Dtype dtype, std::uint64_t seed, InitialValues values) {
  if (values == InitialValues::uniform || !is_float(dtype)) return uniform({1, out}, dtype, seed ^ kBiasSeed, in);
  return drawn_from({0.5, 1, -0.5, -1}, {1, out}, dtype, seed ^ kBiasSeed);
}

HostArray sparse_signs(std::int64_t in, std::int64_t out, Dtype dtype, std::uint64_t seed, double scale) {
  const std::int64_t terms = terms_of_signs(in, out), groups = (in + terms - 1) / terms;
  std::vector<double> values(static_cast<std::size_t>(in * out));
  for (std::int64_t row = 0; row < in; ++row) {
    for (std::int64_t column = row / terms; column < out; column += groups) {
      const auto at = static_cast<std::uint64_t>(row * out + column);
      values[at] = data::random_bits(seed, at) % 2 == 0 ? scale : -scale;
    }
  }
  return HostArray::from_doubles({in, out}, dtype, values);
}

HostArray drawn_from(const std::vector<double>& values, const Shape& shape, Dtype dtype, std::uint64_t seed) {
  std::vector<double> out(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[data::random_bits(seed, i) % values.size()];
  return HostArray::from_doubles(shape, dtype, out);
}

}  // namespace kb::sw
