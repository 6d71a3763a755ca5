#include "sw/benches/noisy_reference.h"

#include <algorithm>
#include <cmath>

#include "platform/base/error.h"
#include "sw/benches/support.h"

namespace kb::sw {
namespace {

constexpr double kDeviations = 8;
constexpr double kSubnormal = 0x1p-25;  // of f16, where a rounding error stops shrinking with the value

double squared(double x) {
  return x * x;
}

NoisyMatrix like(const NoisyMatrix& x) {
  return {x.rows, x.cols, std::vector<double>(x.values.size()), std::vector<double>(x.values.size())};
}

double rounding_variance(double unit, double value) {
  return squared(unit * value) / 3;
}

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

double gelu_of(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

double silu_of(double x) {
  return x * logistic(x);
}

double activated(Activation activation, double x) {
  switch (activation) {
    case Activation::relu:
      return std::max(x, 0.0);
    case Activation::gelu:
      return gelu_of(x);
    case Activation::silu:
      return silu_of(x);
    default:
      return x;
  }
}

constexpr double kSlope = 1.13;  // the steepest that gelu and silu get

}  // namespace

void NoisyReference::round(NoisyMatrix& x) const {
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    x.variance[i] += rounding_variance(data::unit_roundoff(dtype_), x.values[i]);
    if (dtype_ == Dtype::f16) x.variance[i] += squared(kSubnormal);
  }
}

NoisyMatrix NoisyReference::exact(const HostArray& array) const {
  const auto rows = static_cast<std::size_t>(array.shape()[0]), cols = static_cast<std::size_t>(array.shape()[1]);
  return {rows, cols, array.to_doubles(), std::vector<double>(rows * cols)};
}

NoisyMatrix NoisyReference::linear(const NoisyMatrix& x, const HostArray& w, const HostArray* bias,
                                   bool split_sum) const {
  const auto n = static_cast<std::size_t>(w.shape()[1]), k = x.cols, m = x.rows;
  const std::vector<double> weight = w.to_doubles();
  const std::vector<double> shift = bias == nullptr ? std::vector<double>(n) : bias->to_doubles();
  const auto parts = static_cast<std::size_t>(split_sum ? ranks_ : 1);
  const double unit = data::unit_roundoff(dtype_), acc = data::unit_roundoff(Dtype::f32);
  NoisyMatrix y{m, n, std::vector<double>(m * n), std::vector<double>(m * n)};
  std::vector<double> sums(n), squares(n), noise(n), magnitude(n);
  for (std::size_t row = 0; row < m; ++row) {
    double* const values = &y.values[row * n];
    double* const variance = &y.variance[row * n];
    std::fill(magnitude.begin(), magnitude.end(), 0.0);
    for (std::size_t part = 0; part < parts; ++part) {
      std::fill(sums.begin(), sums.end(), 0.0);
      std::fill(squares.begin(), squares.end(), 0.0);
      std::fill(noise.begin(), noise.end(), 0.0);
      for (std::size_t i = part * k / parts; i < (part + 1) * k / parts; ++i) {
        const double value = x.values[row * k + i], moved = x.variance[row * k + i];
        const double* const weights = &weight[i * n];
        for (std::size_t j = 0; j < n; ++j) {
          const double term = value * weights[j];
          sums[j] += term;
          squares[j] += term * term;
          noise[j] += moved * weights[j] * weights[j];
        }
      }
      for (std::size_t j = 0; j < n; ++j) {
        values[j] += sums[j];
        magnitude[j] += std::abs(sums[j]);
        variance[j] += noise[j] + acc * acc * static_cast<double>(k / parts + 8) * squares[j];
        if (split_sum) variance[j] += rounding_variance(unit, sums[j]);
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      // The sum of partial products is rounded after every step.
      if (split_sum) variance[j] += static_cast<double>(parts - 1) * rounding_variance(unit, magnitude[j]);
      values[j] += shift[j];
    }
  }
  if (!split_sum || bias != nullptr) round(y);
  return y;
}

NoisyMatrix NoisyReference::activate(Activation activation, const NoisyMatrix& x) const {
  if (activation == Activation::none) return x;
  NoisyMatrix y = like(x);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    y.values[i] = activated(activation, x.values[i]);
    y.variance[i] = squared(kSlope) * x.variance[i] + squared(4 * data::unit_roundoff(Dtype::f32) * x.values[i]);
  }
  round(y);
  return y;
}

NoisyMatrix NoisyReference::swiglu(const NoisyMatrix& gate, const NoisyMatrix& x) const {
  NoisyMatrix y = like(x);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const double open = silu_of(gate.values[i]);
    y.values[i] = open * x.values[i];
    y.variance[i] = squared(open) * x.variance[i] + squared(kSlope * x.values[i]) * gate.variance[i] +
                    squared(4 * data::unit_roundoff(Dtype::f32) * y.values[i]);
  }
  round(y);
  return y;
}

NoisyMatrix NoisyReference::add(const NoisyMatrix& x, const NoisyMatrix& y) const {
  NoisyMatrix sum = like(x);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    sum.values[i] = x.values[i] + y.values[i];
    sum.variance[i] = x.variance[i] + y.variance[i];
  }
  round(sum);
  return sum;
}

NoisyMatrix NoisyReference::layer_norm(const NoisyMatrix& x, double eps) const {
  NoisyMatrix y = like(x);
  const auto n = static_cast<double>(x.cols);
  const double acc = data::unit_roundoff(Dtype::f32);
  for (std::size_t row = 0; row < x.rows; ++row) {
    const double* const values = &x.values[row * x.cols];
    double mean = 0, variance = 0, noise = 0, largest = 0;
    for (std::size_t i = 0; i < x.cols; ++i) {
      mean += values[i] / n;
      noise += x.variance[row * x.cols + i] / n;
      largest = std::max(largest, std::abs(values[i]));
    }
    for (std::size_t i = 0; i < x.cols; ++i) variance += squared(values[i] - mean) / n;
    const double scale = 1 / std::sqrt(variance + eps);
    for (std::size_t i = 0; i < x.cols; ++i) {
      const double result = (values[i] - mean) * scale;
      y.values[row * x.cols + i] = result;
      // Of the element, of the mean, of the deviation, and of the sums in f32.
      y.variance[row * x.cols + i] = squared(scale) * (x.variance[row * x.cols + i] + noise / n) +
                                     squared(result * scale) * noise / n +
                                     squared(8 * acc * (largest * scale + std::abs(result)));
    }
  }
  round(y);
  return y;
}

NoisyMatrix NoisyReference::attention(const NoisyMatrix& qkv, const AttentionShape& shape) const {
  const auto d = static_cast<std::size_t>(shape.head_dim), heads = static_cast<std::size_t>(shape.heads);
  const auto kv_heads = static_cast<std::size_t>(shape.kv_heads), m = qkv.rows;
  const double scale = 1 / std::sqrt(static_cast<double>(d)), unit = data::unit_roundoff(dtype_);
  NoisyMatrix out{m, heads * d, std::vector<double>(m * heads * d), std::vector<double>(m * heads * d)};
  std::vector<double> weights(m), moved(m);
  for (std::size_t head = 0; head < heads; ++head) {
    const std::size_t k_at = (heads + head / (heads / kv_heads)) * d, v_at = k_at + kv_heads * d;
    for (std::size_t row = 0; row < m; ++row) {
      const std::size_t q = row * qkv.cols + head * d, keys = shape.causal ? row + 1 : m;
      double peak = -1e300, sum = 0;
      for (std::size_t key = 0; key < keys; ++key) {
        const std::size_t k = key * qkv.cols + k_at;
        weights[key] = moved[key] = 0;
        for (std::size_t i = 0; i < d; ++i) {
          weights[key] += qkv.values[q + i] * qkv.values[k + i] * scale;
          moved[key] += squared(scale) * (squared(qkv.values[q + i]) * qkv.variance[k + i] +
                                          squared(qkv.values[k + i]) * qkv.variance[q + i]);
        }
        peak = std::max(peak, weights[key]);
      }
      for (std::size_t key = 0; key < keys; ++key) sum += weights[key] = std::exp(weights[key] - peak);
      for (std::size_t i = 0; i < d; ++i) {
        double value = 0, apart = 0, noise = 0;
        for (std::size_t key = 0; key < keys; ++key)
          value += weights[key] / sum * qkv.values[key * qkv.cols + v_at + i];
        for (std::size_t key = 0; key < keys; ++key) {
          const std::size_t v = key * qkv.cols + v_at + i;
          const double weight = weights[key] / sum;
          noise += squared(weight) * (qkv.variance[v] + squared(unit * qkv.values[v]));
          // Errors of scores share their query, so they may all go one way.
          apart += weight * std::abs(qkv.values[v] - value) * std::sqrt(moved[key]);
        }
        out.values[row * out.cols + head * d + i] = value;
        out.variance[row * out.cols + head * d + i] = noise + squared(apart);
      }
    }
  }
  round(out);
  return out;
}

void NoisyReference::verify(Runtime& runtime, BenchResult& result, const std::string& tensor, const HostArray& actual,
                            const NoisyMatrix& expected) const {
  if (!runtime.computes_data()) return verify_exact(runtime, result, tensor, actual, actual);  // leaves the note
  data::ErrorBound bound;
  for (const double variance : expected.variance) {
    bound.sum_abs_terms.push_back(kDeviations * std::sqrt(variance) / data::unit_roundoff(dtype_));
  }
  bound.note = "u * sum|terms| is 8 standard deviations of the roundings of all layers";
  result.verification.push_back(data::compare(tensor, dtype_, actual.shape(), actual.bytes(), expected.values, bound));
}

}  // namespace kb::sw
