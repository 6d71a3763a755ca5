#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// y (m, h) = N(residual + x) on all PEs of a SIP, N(x) = x / sqrt(mean of the squares of a row + eps) * gamma. The sum
// is rounded to the dtype and stored in `residual_out`, which may be `residual`; without `residual` it is x itself. x,
// residual, residual_out and y are split by columns over cubes and then by rows at most, in one way; each PE computes
// what it owns. gamma (1, h) may be split by columns. `squares` (tiles of x, m) f32 is a single copy that all cubes
// reach: each PE puts the sums of squares of its part there, and adds up those of its rows after a barrier of the SIP.
contract::Kernel residual_norm_kernel();

}  // namespace kb::kernels
