#include "platform/data/running_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "platform/data/reference.h"
#include "platform/ops/op_types.h"

namespace kb::data {
namespace {

constexpr int kNoBit = 1 << 20;      // for zero
constexpr int kAnyBit = -kNoBit;     // for values that are not known exactly
constexpr double kDouble = 0x1p-52;  // generous bound for the error of double arithmetic
constexpr double kInfinite = std::numeric_limits<double>::infinity();

int significant_bits(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return 11;
    case Dtype::bf16:
      return 8;
    case Dtype::e4m3:
      return 4;
    case Dtype::e5m2:
      return 3;
    default:
      return 24;
  }
}

std::vector<double> absolute(const std::vector<double>& values, const std::vector<double>& errors) {
  std::vector<double> out(values.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::fabs(values[i]) + errors[i];
  return out;
}

// Properties of a row of the left or a column of the right matrix.
struct Line {
  int unit = kNoBit;  // each value is a multiple of 2^unit
  double terms = 0;   // number of non-zero terms
};

Line line_of(const BoundedMatrix& m, std::size_t first, std::size_t step, std::size_t count) {
  Line line;
  for (std::size_t i = 0, at = first; i < count; ++i, at += step) {
    if (m.errors[at] != 0) {
      line.unit = kAnyBit;
    } else if (line.unit != kAnyBit) {
      line.unit = std::min(line.unit, lowest_bit(m.values[at]));
    }
    if (m.values[at] != 0 || m.errors[at] != 0) line.terms += 1;
  }
  return line;
}

bool is_number(Bounded x) {
  return std::isfinite(x.value) && std::isfinite(x.error);
}

// f of operands of which one is not a number (or, with `always`, of any operands): certain if the ends of the operands'
// intervals give the same result. Returns no value when both are numbers.
template <typename F>
std::optional<Bounded> special(F f, Bounded x, Bounded y, bool always = false) {
  if (!always && is_number(x) && is_number(y)) return std::nullopt;
  if (std::isnan(x.value) || std::isnan(y.value)) return Bounded{std::numeric_limits<double>::quiet_NaN(), 0};
  if (!std::isfinite(x.error) || !std::isfinite(y.error)) return unknown(f(x.value, y.value));
  const double first = f(x.value - x.error, y.value - y.error);
  for (const double other : {f(x.value - x.error, y.value + y.error), f(x.value + x.error, y.value - y.error),
                             f(x.value + x.error, y.value + y.error)}) {
    if (first != other && !(std::isnan(first) && std::isnan(other))) return unknown(f(x.value, y.value));
  }
  return Bounded{first, 0};
}

// The effect of NaNs, infinities and unknown values on the sum of the products of row i and column j; no value when
// there are none.
std::optional<Bounded> special_sum(const BoundedMatrix& x, const BoundedMatrix& w, std::size_t i, std::size_t j) {
  double infinities = 0;
  bool known = true;
  for (std::size_t p = 0; p < x.cols; ++p) {
    const Bounded left = x.at(i * x.cols + p), right = w.at(p * w.cols + j);
    if (is_number(left) && is_number(right)) continue;
    const Bounded term = multiply(left, right);
    known = known && term.error == 0;
    if (term.error == 0) infinities += term.value;
  }
  if (std::isnan(infinities)) return Bounded{infinities, 0};
  if (!known) return unknown(0);
  return infinities != 0 ? std::optional<Bounded>({infinities, 0}) : std::nullopt;
}

// Conversion of an f32 sum with this sum of absolute values: infinite when it exceeds the range of f32, unknown when a
// partial sum may.
Bounded as_f32_sum(Bounded sum, double sum_abs_terms) {
  const double most = largest(Dtype::f32);
  if (sum_abs_terms + sum.error <= most) return sum;
  if (std::fabs(sum.value) < sum_abs_terms * (1 - kDouble)) return unknown(sum.value);  // terms of both signs
  const Bounded stored = rounded(Dtype::f32, sum);
  return is_number(stored) ? sum : stored;
}

}  // namespace

double unit_roundoff(Dtype dtype) {
  return is_float(dtype) ? std::ldexp(1.0, -significant_bits(dtype)) : 0.0;
}

double subnormal_roundoff(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return 0x1p-25;
    case Dtype::bf16:
      return 0x1p-134;
    case Dtype::e4m3:
      return 0x1p-10;
    case Dtype::e5m2:
      return 0x1p-17;
    case Dtype::f32:
      return 0x1p-150;
    default:
      return 0.0;
  }
}

double largest(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return 65504;
    case Dtype::bf16:
      return 0x1.fep127;
    case Dtype::e4m3:
      return 448;
    case Dtype::e5m2:
      return 57344;
    case Dtype::f32:
      return static_cast<double>(std::numeric_limits<float>::max());
    default:
      return kInfinite;
  }
}

double gamma(double n, double u) {
  return n * u < 1 ? n * u / (1 - n * u) : kInfinite;
}

double sum_growth(double n, double u) {
  return n * u < 1 ? gamma(n, u) : std::expm1(n * std::log1p(u));
}

double nearest(Dtype dtype, double value) {
  if (dtype == Dtype::f32) return static_cast<double>(static_cast<float>(value));
  const std::uint64_t bits = encode_element(dtype, value);
  return decode_element(dtype, reinterpret_cast<const std::byte*>(&bits));  // little-endian host
}

Bounded unknown(double value) {
  return {std::isfinite(value) ? value : 0, kInfinite};
}

Bounded settled(Bounded x) {
  if (std::isnan(x.value)) return {x.value, 0};
  if (!std::isfinite(x.error)) return unknown(x.value);
  return {x.value, std::isfinite(x.value) ? x.error : 0};
}

Bounded rounded(Dtype dtype, Bounded x) {
  if (x.error == 0) return {nearest(dtype, x.value), 0};
  if (!std::isfinite(x.error)) return unknown(x.value);
  const double low = nearest(dtype, x.value - x.error), high = nearest(dtype, x.value + x.error);
  if (low == high || !std::isfinite(x.value)) return {low, 0};
  if (!std::isfinite(low) || !std::isfinite(high)) return unknown(x.value);
  return {low + (high - low) / 2, (high - low) / 2};
}

Bounded add(Bounded x, Bounded y) {
  if (const auto sum = special([](double a, double b) { return a + b; }, x, y)) return *sum;
  return rounded(Dtype::f32, {x.value + y.value, x.error + y.error});
}

Bounded subtract(Bounded x, Bounded y) {
  return add(x, {-y.value, y.error});
}

Bounded multiply(Bounded x, Bounded y) {
  if (const auto product = special([](double a, double b) { return a * b; }, x, y)) return *product;
  const double error = std::fabs(x.value) * y.error + std::fabs(y.value) * x.error + x.error * y.error;
  return rounded(Dtype::f32, {x.value * y.value, error});
}

Bounded divide(Bounded x, Bounded y) {
  const bool by_zero = y.value == 0 && y.error == 0;
  if (const auto ratio = special([](double a, double b) { return a / b; }, x, y, by_zero)) return *ratio;
  const double value = x.value / y.value, least = std::fabs(y.value) - y.error;
  if (!(least > 0)) return unknown(value);
  return rounded(Dtype::f32, {value, (x.error + std::fabs(value) * y.error) / least});
}

Bounded multiply_add(Bounded x, Bounded y, Bounded z, Dtype dtype) {
  const double term = x.value * y.value, value = term + z.value;
  const double error_of_term = std::fabs(x.value) * y.error + std::fabs(y.value) * x.error + x.error * y.error;
  const Bounded added = is_number(x) && is_number(y) ? Bounded{term, error_of_term} : multiply(x, y);
  if (const auto sum = special([](double a, double b) { return a + b; }, added, z)) return *sum;
  const double error = error_of_term + z.error;
  // The double sum may itself be inexact unless it has few significant bits.
  const bool inexact = value - z.value != term || value - term != z.value;
  return rounded(dtype, {value, error + (inexact ? kDouble * std::fabs(value) : 0)});
}

Bounded maximum(Bounded x, Bounded y) {
  if (std::isnan(x.value) || std::isnan(y.value)) return {std::numeric_limits<double>::quiet_NaN(), 0};
  if (!std::isfinite(x.error) || !std::isfinite(y.error)) return unknown(std::max(x.value, y.value));
  const double low = std::max(x.value - x.error, y.value - y.error);
  const double high = std::max(x.value + x.error, y.value + y.error);
  if (low == high) return {low, 0};
  return {low + (high - low) / 2, (high - low) / 2};
}

Bounded minimum(Bounded x, Bounded y) {
  const Bounded negative = maximum({-x.value, x.error}, {-y.value, y.error});
  return {-negative.value, negative.error};
}

Bounded exponential(Bounded x) {
  return function([](double v) { return std::exp(v); }, x, std::exp(x.value + x.error));
}

Bounded square_root(Bounded x) {
  if (!is_number(x)) return x.error == 0 ? Bounded{std::sqrt(x.value), 0} : x;
  const double least = x.value - x.error;
  const double error = x.error == 0 ? 0 : least > 0 ? x.error / std::sqrt(least) : std::sqrt(x.value + x.error);
  return rounded(Dtype::f32, {std::sqrt(x.value), error});
}

Bounded logistic(Bounded x) {
  return function([](double v) { return 1.0 / (1.0 + std::exp(-v)); }, x, 0.25);
}

Bounded ordered_sum(const std::vector<Bounded>& terms) {
  Bounded sum = terms.front();
  for (std::size_t i = 1; i < terms.size(); ++i) sum = add(sum, terms[i]);
  return sum;
}

bool BoundedMatrix::exact() const {
  return std::all_of(errors.begin(), errors.end(), [](double error) { return error == 0; });
}

BoundedMatrix exact_matrix(std::size_t rows, std::size_t cols, std::vector<double> values) {
  return {rows, cols, std::move(values), std::vector<double>(rows * cols)};
}

void round_to(Dtype dtype, BoundedMatrix& x) {
  for (std::size_t i = 0; i < x.values.size(); ++i) x.set(i, rounded(dtype, x.at(i)));
}

BoundedMatrix product(const BoundedMatrix& x, const BoundedMatrix& w, double extra) {
  const std::size_t m = x.rows, k = x.cols, n = w.cols;
  ReferenceGemm sums = reference_gemm(x.values, w.values, m, k, n);
  std::vector<double> moved(m * n);
  const auto add_moved = [&](const std::vector<double>& a, const std::vector<double>& b) {
    const std::vector<double> more = reference_gemm(a, b, m, k, n).values;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += more[i];
  };
  if (!x.exact()) add_moved(x.errors, absolute(w.values, w.errors));
  if (!w.exact()) add_moved(absolute(x.values, std::vector<double>(x.values.size())), w.errors);

  std::vector<Line> columns;
  for (std::size_t j = 0; j < n; ++j) columns.push_back(line_of(w, j, n, k));
  BoundedMatrix out{m, n, std::move(sums.values), std::move(moved)};
  for (std::size_t i = 0; i < m; ++i) {
    const Line row = line_of(x, i * k, 1, k);
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t at = i * n + j;
      if (!std::isfinite(sums.sum_abs_terms[at]) || !std::isfinite(out.errors[at])) {
        if (const auto sum = special_sum(x, w, i, j)) {
          out.set(at, *sum);
          continue;
        }
      }
      if (sums_exactly(Dtype::f32, sums.sum_abs_terms[at], row.unit + columns[j].unit)) continue;
      const double terms = std::min(row.terms, columns[j].terms);
      const double roundings = gamma(terms + extra, unit_roundoff(Dtype::f32)) + terms * kDouble;
      out.errors[at] += roundings * (sums.sum_abs_terms[at] + out.errors[at]) + terms * subnormal_roundoff(Dtype::f32);
      out.set(at, as_f32_sum(out.at(at), sums.sum_abs_terms[at]));
    }
  }
  return out;
}

int lowest_bit(double value) {
  if (value == 0) return kNoBit;
  if (!std::isfinite(value)) return kAnyBit;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  const auto bits = static_cast<std::int64_t>(std::ldexp(std::fabs(mantissa), 53));
  return exponent - 53 + __builtin_ctzll(static_cast<unsigned long long>(bits));
}

bool sums_exactly(Dtype dtype, double sum_abs_terms, int unit) {
  if (sum_abs_terms == 0) return unit > -kNoBit / 2;
  if (unit < -kNoBit / 2 || unit > kNoBit / 2) return false;
  // The unit must not be below the subnormal range, and the sum must not exceed the largest number.
  if (std::ldexp(1.0, unit) < 2 * subnormal_roundoff(dtype)) return false;
  if (sum_abs_terms > largest(dtype)) return false;
  return sum_abs_terms <= std::ldexp(1.0, std::min(significant_bits(dtype) + unit, 1000));
}

}  // namespace kb::data
