// Activation functions in double.
#pragma once

#include <cmath>

namespace kb::data {

// x Phi(x), by the error function, as PyTorch's default; erfc keeps the digits of the negative side.
inline double gelu(double x) {
  if (x == -HUGE_VAL) return -0.0;  // the limit, not infinity times zero; the same below
  const double root_half = std::sqrt(0.5);
  return 0.5 * x * std::erfc(-x * root_half);
}

// Its approximation by tanh, 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), written with 1 + tanh(z) as a quotient.
inline double gelu_tanh(double x) {
  if (x == -HUGE_VAL) return -0.0;
  const double slope = 2 * std::sqrt(2 / std::acos(-1.0));
  return x / (1.0 + std::exp(-slope * (x + 0.044715 * x * x * x)));
}

// x sigmoid(x)
inline double silu(double x) {
  if (x == -HUGE_VAL) return -0.0;
  return x / (1.0 + std::exp(-x));
}

}  // namespace kb::data
