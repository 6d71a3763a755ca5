// A product of norm_linear on PEs without time, and what it has to give.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/contract/kernel_arguments.h"
#include "tests/support/shortened.h"
#include "tests/unit/kernels/barrier_machine.h"
#include "tests/unit/kernels/placed.h"

namespace kb::tests {

using Integer = std::int64_t;

inline constexpr double kNormEps = 0.01;

struct NormLinearCase {
  Integer m = 3, k = 24, n = 20;
  int cubes = 2, pes = 2;
  Dtype dtype = Dtype::f32;
  bool residual = true, x = true, out = true, norm = true;
  std::string epilogue = "none";
  std::vector<Integer> rows;  // empty: all
  Integer room = 1 << 16;     // elements of a PE's partial sums
  std::uint64_t scratch = 1 << 20;
  double scale = 1, gain = 1;  // largest element of the input, of gamma
  double weight = 1;
  contract::PeRates rates;
};

inline double unit_of(Dtype dtype) {
  return dtype == Dtype::f32 ? 0x1p-24 : dtype == Dtype::f16 ? 0x1p-11 : 0x1p-8;
}

inline Numbers scaled(Numbers values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

// The tensors of a case, the launch, and the expected results.
struct NormLinearProblem {
  explicit NormLinearProblem(const NormLinearCase& c)
      : c_(c),
        height_(c.rows.empty() ? c.m : static_cast<Integer>(c.rows.size())),
        machine_(device_, c.cubes, c.pes, c.scratch, c.rates) {}

  void go() { machine_.run(*kernels::KernelCatalog().find("norm_linear"), args()); }

  std::vector<contract::NamedArg> args() {
    std::vector<contract::NamedArg> out{{"w", w.arg()}, {"y", y.arg()}, {"partials", partials.arg()}};
    const auto add = [&](bool wanted, const char* name, const Placed& tensor) {
      if (wanted) out.push_back({name, tensor.arg()});
    };
    add(c_.residual, "residual", residual);
    add(c_.x, "x", x);
    add(c_.out, "residual_out", residual_out);
    add(c_.norm, "gamma", gamma);
    add(c_.epilogue == "bias", "bias", bias);
    add(c_.epilogue == "swiglu", "w2", w2);
    add(!c_.rows.empty(), "rows", rows);
    if (c_.norm) out.push_back({"eps", kNormEps});
    return out;
  }

  void write() {
    x_ = x.write(device_, scaled(numbers(1, c_.m * c_.k), c_.scale));
    residual_ = residual.write(device_, scaled(numbers(2, c_.m * c_.k), c_.scale));
    gamma_ = gamma.write(device_, scaled(numbers(3, c_.k), c_.gain));
    w_ = w.write(device_, scaled(numbers(4, c_.n * c_.k), c_.weight));
    w2_ = w2.write(device_, scaled(numbers(5, c_.n * c_.k), c_.weight));
    bias_ = bias.write(device_, numbers(6, c_.n));
    partials.write(device_, Numbers(static_cast<std::size_t>(c_.cubes * c_.pes * c_.room)));
    if (!c_.rows.empty()) rows.write(device_, Numbers(c_.rows.begin(), c_.rows.end()));
  }

  Numbers sum() const {
    Numbers out = c_.residual ? residual_ : x_;
    for (std::size_t i = 0; i < out.size() && c_.residual && c_.x; ++i) out[i] += x_[i];
    return x.rounded(out);
  }
  // The product of a row with a row of the weights, and its largest error in f32 and in the rounding of input * gamma.
  void product(const Numbers& in, const Numbers& weights, Integer row, Integer column, double& value,
               double& error) const {
    double terms = 0, squares = 0, sizes = 0;
    value = 0;
    for (Integer i = 0; i < c_.k; ++i) {
      const double left = at(in, row * c_.k + i),
                   term = left * (c_.norm ? at(gamma_, i) : 1) * at(weights, column * c_.k + i);
      value += term;
      terms += std::abs(term);
      squares += left * left;
      sizes += std::abs(at(weights, column * c_.k + i));
    }
    const double factor = c_.norm ? 1 / std::sqrt(squares / static_cast<double>(c_.k) + kNormEps) : 1;
    value *= factor;
    error = terms * factor * ((c_.norm ? 1.01 * unit_of(c_.dtype) : 0) + static_cast<double>(c_.k + 20) * 0x1p-24);
    // Small numbers of f16 are rounded to multiples of 2^-24, after the division of gamma.
    if (c_.norm && c_.dtype == Dtype::f16) error += sizes * factor * 0x1p-25 * std::max(1.0, 2 * c_.gain);
  }
  bool has_no_partial_sums() {
    const Numbers sums = partials.read(device_);
    return std::all_of(sums.begin(), sums.end(), [](double sum) { return sum == 0; });
  }
  // The first wrong element of y, or -1. Under sanitizers some elements of each row and column are looked at.
  Integer first_wrong() {
    const Numbers in = sum(), actual = y.read(device_);
    const Integer step = test::cases(1, c_.n % 7 == 0 ? 11 : 7);
    for (Integer i = 0; i < height_ * c_.n; i += step) {
      const Integer row = c_.rows.empty() ? i / c_.n : c_.rows[static_cast<std::size_t>(i / c_.n)], column = i % c_.n;
      double value = 0, error = 0;
      product(in, w_, row, column, value, error);
      if (c_.epilogue == "bias") value += at(bias_, column);
      if (c_.epilogue == "swiglu") {
        double up = 0, up_error = 0;
        product(in, w2_, row, column, up, up_error);
        const double gate = value / (1 + std::exp(-value));
        error = 1.2 * error * (std::abs(up) + up_error) + (std::abs(gate) + 1.2 * error) * up_error;
        value = gate * up;
      }
      const double allowed = error + (std::abs(value) + error) * (unit_of(c_.dtype) + 0x1p-20) + 0x1p-24;
      if (!(std::abs(at(actual, i) - value) <= allowed)) return i;
    }
    return -1;
  }

  Placed make(const char* name, const Shape& shape, const sw::DPPolicy& policy, std::uint64_t number) const {
    return {name, c_.dtype, shape, policy, c_.cubes, c_.pes, number << 36};
  }

  NormLinearCase c_;
  Integer height_;
  Device device_;
  BarrierMachine machine_;
  Placed x = make("x", {c_.m, c_.k}, tile_layout(), 1), residual = make("residual", {c_.m, c_.k}, copy_layout(), 2);
  Placed residual_out = make("residual_out", {c_.m, c_.k}, copy_layout(), 3);
  Placed gamma = make("gamma", {1, c_.k}, copy_layout(), 4), w = make("w", {c_.n, c_.k}, weight_layout(), 5);
  Placed w2 = make("w2", {c_.n, c_.k}, weight_layout(), 6), bias = make("bias", {1, c_.n}, tile_layout(), 7);
  Placed y = make("y", {height_, c_.n}, tile_layout(), 8);
  Placed partials{"partials", Dtype::f32, {c_.cubes * c_.pes, c_.room}, row_each_layout(),
                  c_.cubes,   c_.pes,     std::uint64_t{9} << 36};
  Placed rows{"rows", Dtype::i32, {1, height_}, everywhere(), c_.cubes, c_.pes, std::uint64_t{10} << 36};
  Numbers x_, residual_, gamma_, w_, w2_, bias_;
};

}  // namespace kb::tests
