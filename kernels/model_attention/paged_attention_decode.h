#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Attention of one new token of each of several sequences over their paged keys and values, without messages (K-225 ..
// K-229): out[row] = softmax(scale q[row] K^T) V. q (H, m, d) is split by heads, k_cache and v_cache (blocks, page, K,
// d) by blocks, out (m, H d) in tile layout; H / K query heads share a K/V head. `work` (PEs of the SIP, n), i32, has
// the work list of each PE, and `scratch` (PEs of the SIP, n) is f32, as contract::decode_work() and
// contract::decode_scratch_length() make them; both are split by rows over cubes and PEs. scale: default 1 / sqrt(d).
// The kernel has to run on all PEs of the SIP: each computes with the blocks of its list; partial results are merged in
// the cube, where PEs share a sequence, and then over the cubes.
contract::Kernel paged_attention_decode_kernel();

}  // namespace kb::kernels
