#include "sw/workloads/layer_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/workloads/attention_reference.h"
#include "sw/workloads/normalize_reference.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

using data::Bounded;
using data::BoundedMatrix;

constexpr std::size_t kKeys = 256;  // keys per block of self-attention (K-82)

Bounded number(double value) {
  return {data::nearest(Dtype::f32, value), 0};
}

// x sigmoid(x (1.6 + 0.07 x x)), which equals the formula with the hyperbolic tangent.
Bounded gelu(Bounded x) {
  const double slope = 2 * std::sqrt(2 / std::acos(-1.0));
  const Bounded inner = data::multiply_add(data::multiply(x, x), number(0.044715 * slope), number(slope));
  return data::multiply(x, data::logistic(data::multiply(x, inner)));
}

Bounded silu(Bounded x) {
  return data::multiply(x, data::logistic(x));
}

Bounded activated(Activation activation, Bounded x) {
  switch (activation) {
    case Activation::relu:
      return data::maximum(x, {0, 0});
    case Activation::gelu:
      return gelu(x);
    case Activation::silu:
      return silu(x);
    default:
      return x;
  }
}

// Applies a function element-wise to two matrices of equal shape, and rounds to the dtype.
template <typename F>
BoundedMatrix combine(Dtype dtype, const BoundedMatrix& x, const BoundedMatrix& y, F f) {
  BoundedMatrix out = x;
  for (std::size_t i = 0; i < out.values.size(); ++i) out.set(i, data::rounded(dtype, f(x.at(i), y.at(i))));
  return out;
}

}  // namespace

std::size_t LayerReference::share(std::size_t rows) const {
  const auto ranks = static_cast<std::size_t>(ranks_), grain = static_cast<std::size_t>(grain_);
  const std::size_t share = (rows + ranks - 1) / ranks;
  return rows % ranks == 0 || share < grain ? share : (share + grain - 1) / grain * grain;
}

BoundedMatrix LayerReference::summed_over_ranks(const BoundedMatrix& x, const BoundedMatrix& w) const {
  const auto ranks = static_cast<std::size_t>(ranks_);
  std::vector<BoundedMatrix> parts;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::size_t first = std::min(rank * share(x.cols), x.cols);
    const std::size_t count = std::min(first + share(x.cols), x.cols) - first;
    if (count == 0) break;
    parts.push_back(data::product(columns_of(x, first, count), rows_of(w, first, count)));
    data::round_to(dtype_, parts.back());
  }
  BoundedMatrix out = parts.front();
  for (std::size_t i = 0; i < out.values.size() && ranks > 1; ++i) {
    Bounded sum;
    double magnitude = 0, terms = 0;
    int unit = data::lowest_bit(0);
    for (const BoundedMatrix& part : parts) {
      if (part.values[i] == 0 && part.errors[i] == 0) continue;  // adding zero does not round
      terms += 1;
      sum = {sum.value + part.values[i], sum.error + part.errors[i]};
      magnitude += std::fabs(part.values[i]) + part.errors[i];
      unit = std::min(unit, data::lowest_bit(part.values[i]));
    }
    sum = data::settled(sum);
    const bool exact = sum.error == 0 && data::sums_exactly(dtype_, magnitude, unit);
    if (terms <= 2 || !std::isfinite(sum.value)) {  // a single addition
      sum = data::rounded(dtype_, sum);
    } else if (!exact) {  // the order is not known here
      sum.error += data::sum_growth(terms - 1, data::unit_roundoff(dtype_)) * magnitude +
                   (terms - 1) * data::subnormal_roundoff(dtype_);
    }
    out.set(i, sum);
  }
  return out;
}

BoundedMatrix LayerReference::linear(const BoundedMatrix& x, const HostArray& w, const HostArray* bias,
                                     bool split_sum) const {
  const BoundedMatrix weight = exact_values(w);
  BoundedMatrix y = split_sum ? summed_over_ranks(x, weight) : data::product(x, weight);
  if (bias != nullptr) {
    const std::vector<double> shift = bias->to_doubles();
    for (std::size_t i = 0; i < y.values.size(); ++i) y.set(i, data::add(y.at(i), {shift[i % y.cols], 0}));
  }
  if (!split_sum || bias != nullptr) data::round_to(dtype_, y);
  return y;
}

BoundedMatrix LayerReference::activate(Activation activation, const BoundedMatrix& x) const {
  return combine(dtype_, x, x, [&](Bounded value, Bounded) { return activated(activation, value); });
}

BoundedMatrix LayerReference::swiglu(const BoundedMatrix& gate, const BoundedMatrix& x) const {
  return combine(dtype_, gate, x, [](Bounded open, Bounded value) { return data::multiply(silu(open), value); });
}

BoundedMatrix LayerReference::add(const BoundedMatrix& x, const BoundedMatrix& y) const {
  return combine(dtype_, x, y, [](Bounded left, Bounded right) { return data::add(left, right); });
}

BoundedMatrix LayerReference::layer_norm(const BoundedMatrix& x, double eps) const {
  BoundedMatrix out = layernorm_of(x, {}, {}, eps);
  data::round_to(dtype_, out);
  return out;
}

BoundedMatrix LayerReference::attention(const BoundedMatrix& qkv, const AttentionShape& shape) const {
  const auto d = static_cast<std::size_t>(shape.head_dim), heads = static_cast<std::size_t>(shape.heads);
  const auto kv_heads = static_cast<std::size_t>(shape.kv_heads), m = qkv.rows;
  BoundedMatrix out = data::exact_matrix(m, heads * d, std::vector<double>(m * heads * d));
  for (std::size_t head = 0; head < heads; ++head) {
    const std::size_t k_at = (heads + head / (heads / kv_heads)) * d;
    const BoundedMatrix q = columns_of(qkv, head * d, d), k = columns_of(qkv, k_at, d);
    const BoundedMatrix v = columns_of(qkv, k_at + kv_heads * d, d);
    AttentionRows rows(dtype_, m, d);
    for (std::size_t first = 0; first < m; first += kKeys) {
      const std::size_t keys = std::min(kKeys, m - first);
      AttentionRows::Visible visible;
      if (shape.causal) visible = [&](std::size_t row, std::size_t key) { return first + key <= row; };
      rows.attend(q, rows_of(k, first, keys), rows_of(v, first, keys), visible);
    }
    const BoundedMatrix result = rows.result();
    for (std::size_t i = 0; i < result.values.size(); ++i) out.set(i / d * heads * d + head * d + i % d, result.at(i));
  }
  data::round_to(dtype_, out);
  return out;
}

data::VerificationRow LayerReference::row(const std::string& tensor, const HostArray& actual,
                                          const BoundedMatrix& expected, const std::string& steps) const {
  return bounded_row(tensor, actual, expected,
                     {fmt::format("{}: sums in f32 (Higham 3.1), each step in f32 and each stored tensor in {} "
                                  "(Higham 3.3), as far as they are not exact",
                                  steps, dtype_name(dtype_))});
}

}  // namespace kb::sw
