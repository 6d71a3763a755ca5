#include "sw/workloads/contents.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "platform/data/element.h"
#include "platform/data/running_error.h"

namespace kb::sw {
namespace {

constexpr int kMax = 8;

std::vector<double> numbers_up_to(int most) {
  std::vector<double> values;
  for (int i = 1; i <= most; ++i) {
    values.push_back(i);
    values.push_back(-i);
  }
  return values;
}

// choose(index) returns the index of the element's value in `values`.
template <typename Choose>
HostArray chosen(const Shape& shape, Dtype dtype, const std::vector<double>& values, Choose choose) {
  const std::vector<std::byte> stored = data::from_doubles(dtype, values);
  const std::size_t item = item_size(dtype);
  HostArray out(shape, dtype);
  std::byte* to = out.bytes().data();
  for (std::uint64_t i = 0, count = out.bytes().size() / item; i < count; ++i, to += item) {
    std::memcpy(to, stored.data() + choose(i) * item, item);
  }
  return out;
}

// Standard deviation of the sum of `terms` products of such numbers.
double deviation(int left, int right, double terms) {
  const auto mean_square = [](int most) { return (most + 1) * (2 * most + 1) / 6.0; };
  return std::sqrt(mean_square(left) * mean_square(right) * terms);
}

}  // namespace

Parameter data_parameter() {
  return Parameter::choice("data", "integers", {"integers", "real"},
                           "contents: small whole numbers, whose results must be equal, or reals, which have a bound");
}

Contents contents_of(const Params& params) {
  return params.text("data") == "real" ? Contents::real : Contents::integers;
}

HostArray whole_numbers(const Shape& shape, Dtype dtype, std::uint64_t seed, int most) {
  const std::vector<double> values = numbers_up_to(most);
  return chosen(shape, dtype, values, [&](std::uint64_t i) { return data::random_bits(seed, i) % values.size(); });
}

HostArray plain_contents(Contents contents, const Shape& shape, Dtype dtype, std::uint64_t seed) {
  return contents == Contents::real ? HostArray::random(shape, dtype, seed) : whole_numbers(shape, dtype, seed, kMax);
}

HostArray bias_contents(Contents contents, std::int64_t n, Dtype dtype, std::uint64_t seed) {
  return softmax_contents(contents, {1, n}, dtype, seed);
}

HostArray positive_contents(Contents contents, const Shape& shape, Dtype dtype, std::uint64_t seed) {
  std::vector<double> values = plain_contents(contents, shape, dtype, seed).to_doubles();
  for (double& value : values) value = contents == Contents::real ? 0.5 + 0.5 * std::abs(value) : std::abs(value);
  return HostArray::from_doubles(shape, dtype, values);
}

HostArray softmax_contents(Contents contents, const Shape& shape, Dtype dtype, std::uint64_t seed) {
  return contents == Contents::real ? HostArray::random(shape, dtype, seed) : whole_numbers(shape, dtype, seed, 2);
}

HostArray powers_of_two(const Shape& shape, Dtype dtype, std::uint64_t seed) {
  return chosen(shape, dtype, {0.25, 0.5, 1, 2}, [&](std::uint64_t i) { return data::random_bits(seed, i) % 4; });
}

HostArray balanced_signs(const Shape& shape, Dtype dtype, std::uint64_t seed) {
  const auto width = static_cast<std::uint64_t>(shape[1]);
  const double most = dtype == Dtype::f32 ? 16 : 1;
  return chosen(shape, dtype, {most, -most}, [&](std::uint64_t i) {
    const std::uint64_t column = i % width;
    return (data::random_bits(seed, i - column % 2) + column) % 2;  // neighbours have opposite signs
  });
}

HostArray sparse_rows(const Shape& shape, Dtype dtype, std::uint64_t seed, std::int64_t terms) {
  const auto width = static_cast<std::uint64_t>(shape[1]);
  const std::uint64_t step = std::max<std::uint64_t>(1, width / static_cast<std::uint64_t>(terms));
  return chosen(shape, dtype, {0, 1, -1}, [&](std::uint64_t i) {
    const std::uint64_t place = (i % width + i / width) % width;
    if (place % step != 0 || place / step >= static_cast<std::uint64_t>(terms)) return std::uint64_t{0};
    return 1 + data::random_bits(seed, i) % 2;
  });
}

ProductContents::ProductContents(Contents contents, std::int64_t k, Dtype operands, Dtype result, int spare_bits)
    : contents_(is_float(operands) ? contents : Contents::integers), k_(k), dtype_(operands) {
  if (!is_float(operands)) {
    choose_integers(is_float(result) ? Dtype::i32 : result, spare_bits);
    return;
  }
  constexpr double kDeviations = 6;  // exceeded by one sum in 10^8
  const double largest = std::ldexp(1 / data::unit_roundoff(is_float(result) ? result : Dtype::f32), -spare_bits);
  const auto terms = static_cast<double>(k);
  const int steps[][2] = {{8, 8}, {8, 4}, {4, 4}, {4, 2}, {2, 2}, {2, 1}, {1, 1}};
  for (const auto& [left, right] : steps) {
    left_most_ = left;
    right_most_ = right;
    if (kDeviations * deviation(left, right, terms) <= largest && left * right * terms <= 0x1p24) return;
  }
  const auto free_terms = static_cast<std::int64_t>(std::min(terms, std::pow(largest / kDeviations, 2)));
  pairs_ = (k - free_terms) / 2;
}

// No sum may exceed the range of the result's dtype, even if all terms have one sign.
void ProductContents::choose_integers(Dtype result, int spare_bits) {
  constexpr std::int64_t kBias = 8;  // maximum of an added bias
  const int unused = 64 - 8 * static_cast<int>(item_size(result));
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> unused;
  const std::int64_t largest = std::max<std::int64_t>(1, (most - kBias) >> spare_bits);
  const int steps[][2] = {{8, 8}, {8, 4}, {4, 4}, {4, 2}, {2, 2}, {2, 1}, {1, 1}};
  for (const auto& [left, right] : steps) {
    left_most_ = left;
    right_most_ = right;
    if (k_ <= largest / (left * right)) return;
  }
  if (largest >= 8 * 2 * 2) left_most_ = right_most_ = 2;  // uses more different terms, fewer of which have an opposite
  const std::int64_t free_terms = largest / (left_most_ * right_most_);
  pairs_ = (k_ - free_terms + 1) / 2;
}

HostArray ProductContents::left(std::int64_t m, std::uint64_t seed) const {
  return operand({m, k_}, seed, true);
}

HostArray ProductContents::right(std::int64_t n, std::uint64_t seed) const {
  return operand({k_, n}, seed, false);
}

HostArray ProductContents::operand(const Shape& shape, std::uint64_t seed, bool left) const {
  if (contents_ == Contents::real) return HostArray::random(shape, dtype_, seed);
  const int most = left ? left_most_ : right_most_;
  if (pairs_ == 0) return whole_numbers(shape, dtype_, seed, most);
  const std::vector<double> values = numbers_up_to(most);
  const std::vector<std::byte> stored = data::from_doubles(dtype_, values);
  const std::size_t item = item_size(dtype_);
  const auto width = static_cast<std::uint64_t>(shape[1]), pairs = static_cast<std::uint64_t>(pairs_);
  HostArray out(shape, dtype_);
  std::byte* const to = out.bytes().data();
  const auto put = [&](std::uint64_t i, std::uint64_t choice) {
    std::memcpy(to + i * item, stored.data() + choice * item, item);
    return static_cast<std::uint8_t>(choice);
  };
  const auto draw = [&](std::uint64_t i) { return put(i, data::random_bits(seed, i) % values.size()); };
  if (left) {  // columns [pairs, 2 pairs) repeat the earlier ones
    for (std::uint64_t row = 0, begin = 0; row < static_cast<std::uint64_t>(shape[0]); ++row, begin += width) {
      for (std::uint64_t i = 0; i < pairs; ++i) draw(begin + i);
      std::memcpy(to + (begin + pairs) * item, to + begin * item, pairs * item);
      for (std::uint64_t i = 2 * pairs; i < width; ++i) draw(begin + i);
    }
    return out;
  }
  // Rows [pairs, 2 pairs) are the negatives of the earlier ones, which are adjacent in `values`.
  std::vector<std::uint8_t> choices(pairs * width);
  for (std::uint64_t i = 0; i < choices.size(); ++i) choices[i] = draw(i);
  for (std::uint64_t i = 0; i < choices.size(); ++i) put(choices.size() + i, choices[i] ^ 1U);
  for (std::uint64_t i = 2 * choices.size(); i < width * static_cast<std::uint64_t>(shape[0]); ++i) draw(i);
  return out;
}

}  // namespace kb::sw
