#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// C = A + B: each PE computes the elements of C that it owns. The tensors have equal shape, dtype and placement.
contract::Kernel vector_add_kernel();

}  // namespace kb::kernels
