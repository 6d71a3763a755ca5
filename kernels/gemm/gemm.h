// C = A x B by tiles: loads, dots and stores.
#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Tensors are row-major in shard order: A (m, k) and B (k, n) split by rows, replicated or whole; C (m, n) split by
// rows or whole. Each PE computes the rows of C it owns, so that the same kernel serves one PE and a whole SIP.
contract::Kernel gemm_kernel();
// The PE it runs on computes all of C, wherever its rows are.
contract::Kernel gemm_single_kernel();

}  // namespace kb::kernels
