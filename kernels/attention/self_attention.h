#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Self-attention of m tokens without messages: softmax(Q K^T / sqrt(d)) V for all query heads of this SIP. A row of qkv
// (m, (heads + 2 kv_heads) d) has the query heads, then the keys and then the values of kv_heads heads; heads /
// kv_heads query heads share a KV head. out is (m, heads d). Both are row-major. Pieces of rows of all heads are
// distributed over all PEs of the SIP, so that the kernel has to run on all of them. causal 1: a token excludes later
// ones.
contract::Kernel self_attention_kernel();

}  // namespace kb::kernels
