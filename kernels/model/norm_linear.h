#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// y (m, n) = f(norm(residual + x) W^T + bias) on all PEs of a SIP: the products of a step of a language model.
//
// W (n, k) is split by rows over cubes and by columns over PEs, so that a PE has some columns of the outputs of its
// cube; w2 alike. y is split by columns over cubes, and then in any way by rows. The input is `x` (m, k), split by
// columns in any way, `residual` (m, k), or their sum, rounded to the dtype, which is stored in `residual_out` if that
// is given; both of these usually have a copy per cube, split by columns like W. With `gamma` (1, k) the input is
// normalised: x / rms(x) * gamma, rms(x) = sqrt(mean of the squares of a row + eps). With w2, y = silu(input W^T)
// (input W2^T). With `rows` (1, m) integers, which must be known, row i of y is computed from row rows[i] of the input.
//
// Each PE multiplies its columns of the input, times gamma and rounded to the dtype, by its columns of W; the PEs of a
// cube exchange partial sums in f32 through `partials` (f32, a row for each PE), meet at a barrier, and each adds up,
// scales by 1 / rms and rounds some outputs. In f16, gamma is divided by a power of two before and the sums are
// multiplied by it, so that x * gamma does not overflow.
//
// With many rows and neither norm nor residual, the PEs of a cube divide rows and outputs instead where that is
// estimated to be faster (K-210); `partials` is then not touched.
contract::Kernel norm_linear_kernel();

}  // namespace kb::kernels
