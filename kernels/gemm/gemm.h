// C = A x B by tiles: loads, dots and stores.
#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Tensors are row-major in shard order: A (m, k) and B (k, n) split by rows, replicated or whole; C (m, n) split by
// rows or whole. Each PE computes the rows of C that it owns, so that the same kernel serves one PE and a whole SIP.
contract::Kernel gemm_kernel();
// One PE computes all of C, regardless of the rows' owners.
contract::Kernel gemm_single_kernel();

}  // namespace kb::kernels
