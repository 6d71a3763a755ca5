#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// out = f(x) or f(x, y) on what each PE owns, for tensors split in any way that is the same for all: add, relu, gelu
// (in its tanh form, x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3))), silu (x sigmoid(x)), swiglu (silu(x) y). Computed
// in f32, rounded once to the dtype.
contract::Kernel pointwise_kernel();

// out = x + bias, rounded to the dtype; x and out split by columns alike, the bias (1, n) likewise.
contract::Kernel add_bias_kernel();

}  // namespace kb::kernels
