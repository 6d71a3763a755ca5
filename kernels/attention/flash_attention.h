#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// o = softmax(q K^T / sqrt(d)) V for the rows of o that a PE owns, over K and V (keys, d) that lie anywhere, in blocks
// with a running softmax (Dao et al., FlashAttention, 2022). q and o (m, d) have one shape and order of elements; all
// four have one dtype. buffers 2: the blocks of K and V after the present ones are loaded while these are computed
// with; 1: one after the other. causal: row i is the query of token first_token + i and sees no later key.
contract::Kernel flash_attention_kernel();

}  // namespace kb::kernels
