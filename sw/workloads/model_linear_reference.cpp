#include "sw/workloads/model_linear_reference.h"

#include <algorithm>
#include <cmath>

#include "platform/data/bounded_math.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

using data::Bounded;
using data::BoundedMatrix;

// What the kernel divides a PE's part of gamma by in f16: the lowest power of two that is not below any of its
// elements.
std::vector<double> units(const HostArray& gamma, std::int64_t pes) {
  const std::vector<double> gain = gamma.to_doubles();
  std::vector<double> out(gain.size(), 1);
  if (gamma.dtype() != Dtype::f16) return out;
  const auto k = static_cast<std::int64_t>(gain.size());
  for (std::int64_t pe = 0, first = 0; pe < pes; ++pe) {
    const std::int64_t end = first + k / pes + (pe < k % pes ? 1 : 0);
    double unit = 1;
    for (std::int64_t i = first; i < end; ++i) {
      while (unit < std::min(0x1p16, std::fabs(gain[static_cast<std::size_t>(i)]))) unit *= 2;
    }
    std::fill(out.begin() + first, out.begin() + end, unit);
    first = end;
  }
  return out;
}

Bounded reciprocal_rms(const BoundedMatrix& input, std::size_t row, const ModelLinear& problem) {
  const std::size_t k = input.cols;
  BoundedMatrix own = data::exact_matrix(1, k, {}), turned = data::exact_matrix(k, 1, {});
  for (BoundedMatrix* const side : {&own, &turned}) {
    side->values.assign(input.values.begin() + static_cast<std::ptrdiff_t>(row * k),
                        input.values.begin() + static_cast<std::ptrdiff_t>((row + 1) * k));
    side->errors.assign(input.errors.begin() + static_cast<std::ptrdiff_t>(row * k),
                        input.errors.begin() + static_cast<std::ptrdiff_t>((row + 1) * k));
  }
  const Bounded squares = data::product(own, turned, static_cast<double>(problem.pes + 1)).at(0);
  const Bounded share{data::nearest(Dtype::f32, 1.0 / static_cast<double>(k)), 0};
  const Bounded mean = data::multiply_add(squares, share, {data::nearest(Dtype::f32, problem.eps), 0});
  const auto f = [](double value) { return 1 / std::sqrt(value); };
  return data::function(f, mean, 0.5 * std::pow(mean.value - mean.error, -1.5));
}

// input * gamma as the array gets it, times the power of two by which the sums are multiplied.
BoundedMatrix weighed(const BoundedMatrix& input, const ModelLinear& problem) {
  if (problem.gamma == nullptr) return input;
  const std::vector<double> gain = problem.gamma->to_doubles(), unit = units(*problem.gamma, problem.pes);
  BoundedMatrix out = input;
  for (std::size_t i = 0; i < input.values.size(); ++i) {
    const std::size_t column = i % input.cols;
    const Bounded product = data::multiply(input.at(i), {gain[column] / unit[column], 0});
    const Bounded kept = data::rounded(problem.gamma->dtype(), product);
    out.set(i, {kept.value * unit[column], kept.error * unit[column]});
  }
  return out;
}

BoundedMatrix transposed(const BoundedMatrix& w) {
  BoundedMatrix out = data::exact_matrix(w.cols, w.rows, std::vector<double>(w.values.size()));
  for (std::size_t i = 0; i < w.values.size(); ++i) out.set(i % w.cols * w.rows + i / w.cols, w.at(i));
  return out;
}

}  // namespace

HostArray model_weights(Contents contents, const Shape& shape, Dtype dtype, std::uint64_t seed) {
  constexpr int kMost = 2;
  const HostArray plain =
      contents == Contents::real ? HostArray::random(shape, dtype, seed) : whole_numbers(shape, dtype, seed, kMost);
  std::vector<double> values = plain.to_doubles();
  const double unit = std::exp2(-std::round(std::log2(static_cast<double>(shape[1])) / 2));
  for (double& value : values) value *= unit;
  return HostArray::from_doubles(shape, dtype, values);
}

BoundedMatrix model_linear_input(const ModelLinear& problem) {
  BoundedMatrix input = exact_values(*problem.x);
  if (problem.residual == nullptr) return input;
  const BoundedMatrix residual = exact_values(*problem.residual);
  for (std::size_t i = 0; i < input.values.size(); ++i) input.set(i, data::add(residual.at(i), input.at(i)));
  data::round_to(problem.x->dtype(), input);
  return input;
}

data::VerificationRow model_linear_row(const ModelLinear& problem, const BoundedMatrix& input, const HostArray& w,
                                       const HostArray* w2, const std::vector<std::int64_t>& columns,
                                       const HostArray& y) {
  const auto roundings = static_cast<double>(problem.pes);
  const BoundedMatrix left = weighed(input, problem);
  BoundedMatrix out = data::product(left, transposed(exact_values(w)), roundings);
  BoundedMatrix up;
  if (w2 != nullptr) up = data::product(left, transposed(exact_values(*w2)), roundings);
  std::vector<Bounded> scale;
  for (std::size_t row = 0; row < input.rows && problem.gamma != nullptr; ++row) {
    scale.push_back(reciprocal_rms(input, row, problem));
  }
  const std::vector<double> bias = problem.bias != nullptr ? problem.bias->to_doubles() : std::vector<double>();
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    const std::size_t row = i / out.cols;
    Bounded value = out.at(i);
    if (!scale.empty()) value = data::multiply(value, scale[row]);
    if (!bias.empty()) value = data::add(value, {bias[static_cast<std::size_t>(columns[i % out.cols])], 0});
    if (w2 != nullptr) {
      const Bounded other = scale.empty() ? up.at(i) : data::multiply(up.at(i), scale[row]);
      value = data::multiply(data::bounded_math(MathOp::silu, value), other);
    }
    out.set(i, value);
  }
  data::round_to(y.dtype(), out);
  return bounded_row("Y", y, std::move(out),
                     {"input times gamma in the dtype; sums of products and of squares, the root, scaling, bias and "
                      "SwiGLU in f32 (Higham 3.1)"});
}

}  // namespace kb::sw
