#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Attention of m tokens over themselves without messages: softmax(Q K^T / sqrt(d)) V for every query head of this SIP.
// qkv (m, (heads + 2 kv_heads) d) has in a row the query heads, then the keys, then the values of kv_heads heads, each
// shared by heads / kv_heads query heads; out (m, heads d). Both row-major. Pieces of rows of all heads are dealt out
// to all PEs of the SIP, so the kernel has to run on all of them. causal 1: a token sees no later one.
contract::Kernel self_attention_kernel();

}  // namespace kb::kernels
