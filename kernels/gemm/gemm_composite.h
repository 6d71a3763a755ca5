// C = A x B as one composite: the PE's tile pipeline does the rest.
#pragma once

#include "platform/contract/i_pe.h"

namespace kb::kernels {

// Tensors lie in memory; an operand whose `_loaded` argument is not 0 is first loaded whole into scratch and pinned
// (P-23). Without all three tile sizes the scheduler's tile shape is used.
contract::Kernel gemm_composite_kernel();

}  // namespace kb::kernels
