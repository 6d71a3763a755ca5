// Activation functions in double precision.
#pragma once

#include <cmath>

namespace kb::data {

// Exact GELU, x Phi(x), computed by the error function like PyTorch's default; erfc keeps precision on the negative
// side.
inline double gelu(double x) {
  if (x == -HUGE_VAL) return -0.0;  // the limit instead of infinity times zero, also below
  const double root_half = std::sqrt(0.5);
  return 0.5 * x * std::erfc(-x * root_half);
}

// Approximation of GELU by tanh: 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), with 1 + tanh(z) written as a
// quotient.
inline double gelu_tanh(double x) {
  if (x == -HUGE_VAL) return -0.0;
  const double slope = 2 * std::sqrt(2 / std::acos(-1.0));
  return x / (1.0 + std::exp(-slope * (x + 0.044715 * x * x * x)));
}

// SiLU: x sigmoid(x).
inline double silu(double x) {
  if (x == -HUGE_VAL) return -0.0;
  return x / (1.0 + std::exp(-x));
}

}  // namespace kb::data
