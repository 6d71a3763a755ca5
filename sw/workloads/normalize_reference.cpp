#include "sw/workloads/normalize_reference.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

using data::Bounded;
using data::BoundedMatrix;

// The f32 result for exact inputs.
using Unary = Bounded (*)(double);
using Binary = Bounded (*)(double, double);

Bounded of(double (*f)(double), double x) {
  return data::function(f, {x, 0}, 0);
}

// The engines compute these in double in several steps, the reference in higher precision.
Bounded composed(long double value) {
  constexpr double kSteps = 0x1p-44;
  const auto nearest = static_cast<double>(value);
  if (!std::isfinite(nearest)) return {nearest, 0};
  return data::rounded(Dtype::f32, {nearest, kSteps * std::fabs(nearest)});
}

const std::map<std::string, Unary>& unary_operations() {
  static const std::map<std::string, Unary> table{
      {"abs",
       [](double x) {
         return Bounded{std::fabs(x), 0};
       }},
      {"cos", [](double x) { return of(std::cos, x); }},
      {"erf", [](double x) { return of(std::erf, x); }},
      {"exp", [](double x) { return of(std::exp, x); }},
      {"gelu", [](double x) { return composed(std::erfc(-x * std::sqrt(0.5L)) * x / 2); }},
      {"gelu_tanh",
       [](double x) {
         const long double z = std::sqrt(2 / std::acos(-1.0L)) * (x + 0.044715L * x * x * x);
         return composed(x / (1 + std::exp(-2 * z)));
       }},
      {"log", [](double x) { return of(std::log, x); }},
      {"neg",
       [](double x) {
         return Bounded{-x, 0};
       }},
      {"relu",
       [](double x) {
         return Bounded{std::max(x, 0.0), 0};
       }},
      {"rsqrt", [](double x) { return composed(1 / std::sqrt(static_cast<long double>(x))); }},
      {"silu", [](double x) { return composed(x / (1 + std::exp(-static_cast<long double>(x)))); }},
      {"sin", [](double x) { return of(std::sin, x); }},
      {"sigmoid",
       [](double x) {
         return data::logistic({x, 0});
       }},
      {"sqrt",
       [](double x) {
         return data::square_root({x, 0});
       }},
      {"tanh", [](double x) { return of(std::tanh, x); }},
  };
  return table;
}
const std::map<std::string, Binary>& binary_operations() {
  static const std::map<std::string, Binary> table{
      {"add",
       [](double x, double y) {
         return data::add({x, 0}, {y, 0});
       }},
      {"div",
       [](double x, double y) {
         return data::divide({x, 0}, {y, 0});
       }},
      {"maximum",
       [](double x, double y) {
         return data::maximum({x, 0}, {y, 0});
       }},
      {"minimum",
       [](double x, double y) {
         return data::minimum({x, 0}, {y, 0});
       }},
      {"mul",
       [](double x, double y) {
         return data::multiply({x, 0}, {y, 0});
       }},
      {"sub",
       [](double x, double y) {
         return data::subtract({x, 0}, {y, 0});
       }},
  };
  return table;
}

std::vector<Bounded> row_of(const BoundedMatrix& x, std::size_t row) {
  std::vector<Bounded> out;
  for (std::size_t i = row * x.cols; i < (row + 1) * x.cols; ++i) out.push_back(x.at(i));
  return out;
}

}  // namespace

std::vector<std::string> elementwise_names() {
  std::vector<std::string> names;
  for (const auto& entry : unary_operations()) names.push_back(entry.first);
  for (const auto& entry : binary_operations()) names.push_back(entry.first);
  std::sort(names.begin(), names.end());
  return names;
}

bool has_two_inputs(const std::string& op) {
  return binary_operations().count(op) > 0;
}

bool takes_positive(const std::string& op) {
  return op == "log" || op == "sqrt" || op == "rsqrt" || op == "div";
}

data::VerificationRow elementwise_row(const std::string& op, const HostArray& x, const HostArray& z,
                                      const HostArray& y) {
  BoundedMatrix expected = exact_values(x);
  const bool two = has_two_inputs(op);
  const std::vector<double> second = two ? z.to_doubles() : std::vector<double>();
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const double value = expected.values[i];
    expected.set(i, two ? binary_operations().at(op)(value, second[i]) : unary_operations().at(op)(value));
  }
  return bounded_row("Y", y, std::move(expected), {op + " in f32 (Higham 3.3)"});
}

data::VerificationRow softmax_row(const HostArray& x, const HostArray& y) {
  BoundedMatrix expected = exact_values(x);
  for (std::size_t row = 0; row < expected.rows; ++row) {
    std::vector<Bounded> values = row_of(expected, row);
    Bounded peak = values.front();
    for (const Bounded& value : values) peak = data::maximum(peak, value);
    for (Bounded& value : values) value = data::exponential(data::subtract(value, peak));
    const Bounded sum = data::ordered_sum(values);
    for (std::size_t i = 0; i < values.size(); ++i) expected.set(row * expected.cols + i, data::divide(values[i], sum));
  }
  return bounded_row("Y", y, std::move(expected),
                     {"x - max, exp, sum and division in f32, one rounding each per element (Higham 3.3)"});
}

data::BoundedMatrix layernorm_of(const BoundedMatrix& x, const std::vector<double>& gamma,
                                 const std::vector<double>& beta, double eps) {
  BoundedMatrix out = x;
  const Bounded per_element{data::nearest(Dtype::f32, 1.0 / static_cast<double>(x.cols)), 0};
  const Bounded epsilon{data::nearest(Dtype::f32, eps), 0};
  for (std::size_t row = 0; row < x.rows; ++row) {
    std::vector<Bounded> centred = row_of(x, row), squares;
    const Bounded mean = data::multiply(data::ordered_sum(centred), per_element);
    for (Bounded& value : centred) value = data::subtract(value, mean);
    for (const Bounded& value : centred) squares.push_back(data::multiply(value, value));
    const Bounded variance = data::multiply(data::ordered_sum(squares), per_element);
    const Bounded deviation = data::square_root(data::add(variance, epsilon));
    for (std::size_t i = 0; i < x.cols; ++i) {
      const Bounded scale{gamma.empty() ? 1 : gamma[i], 0}, shift{beta.empty() ? 0 : beta[i], 0};
      out.set(row * x.cols + i, data::multiply_add(data::divide(centred[i], deviation), scale, shift));
    }
  }
  return out;
}

data::VerificationRow layernorm_row(const HostArray& x, const HostArray& gamma, const HostArray& beta, double eps,
                                    const HostArray& y) {
  return bounded_row("Y", y, layernorm_of(exact_values(x), gamma.to_doubles(), beta.to_doubles(), eps),
                     {"mean, variance, root, division and scaling in f32, one rounding each (Higham 3.3)"});
}

}  // namespace kb::sw
