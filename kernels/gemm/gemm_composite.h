// GEMM as one composite command, which the PE's tile pipeline executes.
#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// C = A x B on tensors in memory. An operand whose `_loaded` argument is not 0 is first loaded completely into scratch
// and pinned (P-23). Without all three tile sizes, the scheduler's tile shape is used. `reuse_a` 0 or 1 overrides the
// scheduler's setting (P-102). The epilogue tensors are those of EpilogueTensors.
contract::Kernel gemm_composite_kernel();

// Y = op(X), element by element.
contract::Kernel math_composite_kernel();

}  // namespace kb::kernels
