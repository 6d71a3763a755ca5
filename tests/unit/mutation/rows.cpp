// Operations on rows: element-wise ones, softmax, layer normalisation, sums of two tensors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "sw/workloads/contents.h"
#include "sw/workloads/normalize_reference.h"
#include "sw/workloads/support.h"
#include "tests/unit/mutation/mutation.h"

namespace kb::mutation {
namespace {

using sw::Contents;
using sw::HostArray;

const std::vector<Dtype> kFloats{Dtype::f16, Dtype::bf16, Dtype::f32};

struct Rows {
  HostArray x, y, beta;
  std::string op;
  Dtype dtype = Dtype::f16;
};

Shape draw_shape(Random& random) {
  return {random.between(6, 20), random.between(24, 80)};
}

float in_double(double (*f)(double), float x) {
  return static_cast<float>(f(static_cast<double>(x)));
}

float unary(const std::string& op, float x) {
  if (op == "abs") return std::fabs(x);
  if (op == "cos") return in_double(std::cos, x);
  if (op == "exp") return in_double(std::exp, x);
  if (op == "log") return in_double(std::log, x);
  if (op == "neg") return -x;
  if (op == "relu") return std::max(x, 0.0F);
  if (op == "sin") return in_double(std::sin, x);
  if (op == "sqrt") return std::sqrt(x);
  if (op == "rsqrt") return in_double([](double v) { return 1 / std::sqrt(v); }, x);
  if (op == "tanh") return in_double(std::tanh, x);
  if (op == "erf") return in_double(std::erf, x);
  if (op == "gelu") return in_double([](double v) { return v * std::erfc(-v / std::sqrt(2.0)) / 2; }, x);
  if (op == "gelu_tanh") {
    return in_double(
        [](double v) { return v / (1 + std::exp(-2 * std::sqrt(2 / std::acos(-1.0)) * (v + 0.044715 * v * v * v))); },
        x);
  }
  if (op == "silu") return in_double([](double v) { return v / (1 + std::exp(-v)); }, x);
  return in_double([](double v) { return 1 / (1 + std::exp(-v)); }, x);
}

float binary(const std::string& op, float x, float y) {
  if (op == "add") return x + y;
  if (op == "div") return x / y;
  if (op == "maximum") return larger(x, y);
  if (op == "minimum") return -larger(-x, -y);
  return op == "mul" ? x * y : x - y;
}

Workload elementwise() {
  return {"elementwise",
          [](Random& random, Contents contents) {
            const auto given = std::make_shared<Rows>();
            given->op = random.one_of(sw::elementwise_names());
            given->dtype = random.one_of(kFloats);
            const Shape shape = draw_shape(random);
            const bool two = sw::has_two_inputs(given->op), positive = sw::takes_positive(given->op);
            const auto make = [&](bool above) {
              return above ? sw::positive_contents(contents, shape, given->dtype, random.bits())
                           : sw::plain_contents(contents, shape, given->dtype, random.bits());
            };
            given->x = make(!two && positive);
            given->y = make(positive);
            return Trial{fmt::format("{} {} {}", given->op, dtype_name(given->dtype), format_shape(shape)),
                         [given](auto fault, Random&) -> std::optional<HostArray> {
                           if (fault) return std::nullopt;
                           Matrix x = matrix_of(given->x);
                           const Matrix y = matrix_of(given->y);
                           for (std::size_t i = 0; i < x.values.size(); ++i) {
                             float& value = x.values[i];
                             value = sw::has_two_inputs(given->op) ? binary(given->op, value, y.values[i])
                                                                   : unary(given->op, value);
                           }
                           return stored(x, given->dtype);
                         },
                         [given](const HostArray& y) { return sw::elementwise_row(given->op, given->x, given->y, y); },
                         {&given->x, &given->y}};
          },
          {{Fault::lost_term, "nothing is added up"},
           {Fault::no_epilogue, "nothing follows the operation"},
           {Fault::stale_accumulator, "there is no accumulator"},
           {Fault::wrong_scale, "there is no factor"}}};
}

// One row with the fault, if it is there.
void softmax_of(float* row, std::size_t n, std::optional<Fault> fault, Random& random) {
  const float peak = std::accumulate(row, row + n, row[0], larger);
  const std::size_t lost = fault == Fault::lost_term ? random.bits() % n : n;
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    row[i] = in_double(std::exp, row[i] - peak);
    if (i != lost) sum += row[i];
  }
  if (fault == Fault::stale_accumulator) sum += 1;
  if (fault == Fault::wrong_scale) sum *= 2;
  for (std::size_t i = 0; i < n && fault != Fault::no_epilogue; ++i) row[i] /= sum;
}

// Each row by `function`; one row has the fault.
std::optional<HostArray> row_by_row(const Rows& given, std::optional<Fault> fault, Random& random,
                                    const std::function<void(float*, std::size_t, std::optional<Fault>)>& function) {
  if (of_memory(fault)) return std::nullopt;
  Matrix x = matrix_of(given.x);
  const std::size_t faulty = random.bits() % x.rows;
  for (std::size_t row = 0; row < x.rows; ++row) {
    function(&x.at(row, 0), x.cols, row == faulty ? fault : std::nullopt);
  }
  return stored(x, given.dtype);
}

Workload softmax() {
  Workload out{"softmax",
               [](Random& random, Contents contents) {
                 const auto given = std::make_shared<Rows>();
                 given->dtype = random.one_of(kFloats);
                 const Shape shape{random.between(6, 20), random.between(24, 400)};
                 given->x = sw::softmax_contents(contents, shape, given->dtype, random.bits());
                 return Trial{fmt::format("{} {}", dtype_name(given->dtype), format_shape(shape)),
                              [given](auto fault, Random& r) {
                                return row_by_row(*given, fault, r, [&](float* row, std::size_t n, auto its) {
                                  softmax_of(row, n, its, r);
                                });
                              },
                              [given](const HostArray& y) { return sw::softmax_row(given->x, y); },
                              {&given->x}};
               },
               {}};
  out.masks = true;  // a light element changes no other one by a bit
  return out;
}

// Sum over ascending index, without element `lost`.
float sum_of(const std::vector<float>& values, std::size_t lost) {
  float sum = lost == 0 ? 0 : values[0];
  for (std::size_t i = 1; i < values.size(); ++i) sum += i == lost ? 0 : values[i];
  return sum;
}

constexpr float kEps = 1e-5F;

void layernorm_of(const Rows& given, float* row, std::size_t n, std::optional<Fault> fault, Random& random) {
  const Matrix gamma = matrix_of(given.y), beta = matrix_of(given.beta);
  const float per_element = static_cast<float>(1.0 / static_cast<double>(n));
  const std::size_t lost = fault == Fault::lost_term ? random.bits() % n : n;
  const float mean = sum_of({row, row + n}, lost) * per_element;
  std::vector<float> squares;
  for (std::size_t i = 0; i < n; ++i) {
    row[i] -= mean;
    squares.push_back(row[i] * row[i]);
  }
  const float stale = fault == Fault::stale_accumulator ? 1 : 0;
  const float deviation = std::sqrt((sum_of(squares, n) + stale) * per_element + kEps);
  const float factor = fault == Fault::wrong_scale ? 0.5F : 1;
  for (std::size_t i = 0; i < n; ++i) {
    row[i] = std::fma(row[i] / deviation, gamma.values[i] * factor, fault == Fault::no_epilogue ? 0 : beta.values[i]);
  }
}

Workload layernorm() {
  return {"layernorm",
          [](Random& random, Contents contents) {
            const auto given = std::make_shared<Rows>();
            given->dtype = random.one_of(kFloats);
            const Shape shape = draw_shape(random);
            given->x = sw::plain_contents(contents, shape, given->dtype, random.bits());
            given->y = sw::plain_contents(contents, {1, shape[1]}, given->dtype, random.bits());
            given->beta = sw::plain_contents(contents, {1, shape[1]}, given->dtype, random.bits());
            return Trial{fmt::format("{} {}", dtype_name(given->dtype), format_shape(shape)),
                         [given](auto fault, Random& r) {
                           return row_by_row(*given, fault, r, [&](float* row, std::size_t n, auto its) {
                             layernorm_of(*given, row, n, its, r);
                           });
                         },
                         [given](const HostArray& y) {
                           return sw::layernorm_row(given->x, given->y, given->beta, static_cast<double>(kEps), y);
                         },
                         {&given->x, &given->y, &given->beta}};
          },
          {}};
}

Workload vector_add() {
  return {"vector-add",
          [](Random& random, Contents contents) {
            const auto given = std::make_shared<Rows>();
            given->dtype = random.one_of<Dtype>({Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::i8, Dtype::i32});
            const Shape shape = draw_shape(random);
            given->x = sw::plain_contents(contents, shape, given->dtype, random.bits());
            given->y = sw::plain_contents(contents, shape, given->dtype, random.bits());
            return Trial{fmt::format("{} {}", dtype_name(given->dtype), format_shape(shape)),
                         [given](auto fault, Random& r) -> std::optional<HostArray> {
                           if (of_memory(fault)) return std::nullopt;
                           Matrix sum = matrix_of(given->x);
                           const Matrix y = matrix_of(given->y);
                           const std::size_t lost =
                               fault == Fault::lost_term ? r.bits() % y.values.size() : y.values.size();
                           for (std::size_t i = 0; i < y.values.size(); ++i)
                             sum.values[i] += i == lost ? 0 : y.values[i];
                           return stored(sum, given->dtype);
                         },
                         [given](const HostArray& c) { return sw::sum_row("C", given->x, given->y, c); },
                         {&given->x, &given->y}};
          },
          {{Fault::no_epilogue, "nothing follows the sum"},
           {Fault::stale_accumulator, "there is no accumulator"},
           {Fault::wrong_scale, "there is no factor"}}};
}

}  // namespace

std::vector<Workload> row_workloads() {
  return {elementwise(), softmax(), layernorm(), vector_add()};
}

}  // namespace kb::mutation
