#include "platform/data/integer_range.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <string>

#include "platform/base/error.h"

namespace kb::data {
namespace {

using I64 = std::int64_t;
using U64 = std::uint64_t;
template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <typename Value>
[[noreturn]] void fail(std::string_view what, Dtype dtype, const Shape& shape, std::size_t at, Value value,
                       std::string_view remedy) {
  Shape index(shape.size());
  auto rest = static_cast<I64>(at);
  for (std::size_t i = shape.size(); i-- > 0;) {
    index[i] = rest % shape[i];
    rest /= shape[i];
  }
  throw Error::program("VALUE_ERROR", fmt::format("{}: element {} is {}, which does not fit into {}; {}", what,
                                                  format_shape(index), value, dtype_name(dtype), remedy));
}

}  // namespace

void require_fit(std::string_view what, Dtype dtype, const Shape& shape, const std::vector<I64>& values,
                 std::string_view remedy) {
  const int unused = 64 - static_cast<int>(item_size(dtype)) * 8;
  U64 lost = 0;  // accumulated in one branchless loop, because overflows are rare
  for (const I64 value : values)
    lost |= static_cast<U64>((static_cast<I64>(static_cast<U64>(value) << unused) >> unused) ^ value);
  if (lost == 0) return;
  const auto at = std::find_if(values.begin(), values.end(), [&](I64 value) { return !fits(dtype, value); });
  fail(what, dtype, shape, static_cast<std::size_t>(at - values.begin()), *at, remedy);
}

std::vector<I64> fitting(std::string_view what, Dtype dtype, const Shape& shape, const std::vector<Int128>& values,
                         std::string_view remedy) {
  std::vector<I64> out(values.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<I64>(values[i]);
    if (out[i] != values[i] || !fits(dtype, out[i])) fail(what, dtype, shape, i, values[i], remedy);
  }
  return out;
}

U64 largest_magnitude(const std::vector<I64>& values) {
  I64 least = 0, most = 0;
  for (const I64 value : values) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  return std::max(static_cast<U64>(most), 0 - static_cast<U64>(least));
}

bool sums_fit(Dtype acc, I64 terms, U64 left, U64 right, U64 added) {
  const auto as_real = [](auto value) { return static_cast<double>(value); };
  const double limit = acc == Dtype::i32 ? 0x1p31 : 0x1p63;
  constexpr double kRoundings = 1 + 0x1p-48;  // rounding error of the bound itself
  return (as_real(terms) * as_real(left) * as_real(right) + as_real(added)) * kRoundings < limit;
}

std::vector<I64> integer_product(const Shape& shape, I64 k, I64 begin, I64 end, const std::vector<I64>& a,
                                 const std::vector<I64>& b, const std::vector<I64>& added, Dtype acc) {
  const I64 m = shape[0], n = shape[1];
  const auto count = static_cast<std::size_t>(m * n);
  const U64 left = largest_magnitude(a), right = largest_magnitude(b), more = largest_magnitude(added);
  if (sums_fit(acc, end - begin, left, right, more)) {
    std::vector<I64> sums = added;
    sums.resize(count);
    const Eigen::Map<const Matrix<I64>> x(a.data(), m, k), y(b.data(), k, n);
    Eigen::Map<Matrix<I64>>(sums.data(), m, n).noalias() +=
        x.middleCols(begin, end - begin) * y.middleRows(begin, end - begin);
    return sums;
  }
  std::vector<Int128> sums(added.begin(), added.end());
  sums.resize(count);
  std::vector<I64> carries(count);  // overflows of 128 bits: products of i64 need nearly all of them
  const auto at = [](I64 row, I64 width, I64 column) { return static_cast<std::size_t>(row * width + column); };
  for (I64 row = 0; row < m; ++row) {
    for (I64 i = begin; i < end; ++i) {
      for (I64 column = 0; column < n; ++column) {
        const std::size_t place = at(row, n, column);
        const Int128 term = Int128{a[at(row, k, i)]} * b[at(i, n, column)];
        if (__builtin_add_overflow(sums[place], term, &sums[place])) carries[place] += term > 0 ? 1 : -1;
      }
    }
  }
  constexpr Int128 kBeyond = Int128{1} << 126;
  for (std::size_t i = 0; i < count; ++i) {
    if (carries[i] != 0) sums[i] = carries[i] > 0 ? kBeyond : -kBeyond;
  }
  return fitting("the accumulator of dot", acc, shape, sums,
                 acc == Dtype::i32 ? "accumulate in i64, with a result of i64" : "no integer dtype holds it");
}

}  // namespace kb::data
