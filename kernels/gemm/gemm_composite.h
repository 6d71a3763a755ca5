// One composite: the PE's tile pipeline does the rest.
#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// C = A x B. Tensors lie in memory; an operand whose `_loaded` argument is not 0 is first loaded whole into scratch and
// pinned (P-23). Without all three tile sizes the scheduler's tile shape is used. `reuse_a` 0 or 1 instead of the
// scheduler's (P-102). Epilogues as EpilogueTensors.
contract::Kernel gemm_composite_kernel();

// Y = op(X), element by element.
contract::Kernel math_composite_kernel();

}  // namespace kb::kernels
