#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// out = f(x) or f(x, y) for the elements that each PE owns, where all tensors are split in the same way: add, relu,
// gelu (in its tanh form, x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3))), silu (x sigmoid(x)), swiglu (silu(x) y).
// Computed in f32 and rounded once to the dtype.
contract::Kernel pointwise_kernel();

// out = x + bias, rounded to the dtype; x, out and the bias (1, n) are split by columns in the same way.
contract::Kernel add_bias_kernel();

}  // namespace kb::kernels
