#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// o = softmax(q K^T / sqrt(d)) V for the rows of o that a PE owns, over K and V (keys, d) in any place, in blocks with
// an online softmax (Dao et al., FlashAttention, 2022). q and o (m, d) have equal shapes and element order; all four
// have one dtype. buffers 2: the next blocks of K and V are loaded during the computation; 1: they are loaded
// afterwards. causal: row i is the query of token first_token + i and excludes later keys.
contract::Kernel flash_attention_kernel();

}  // namespace kb::kernels
