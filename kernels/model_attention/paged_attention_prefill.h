#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Causal attention of several new tokens of each of several sequences over their paged keys and values, which already
// hold the new ones (K-232, K-233): out[row] = softmax(scale q[row] K^T) V. q, k_cache, v_cache, out and scale are
// those of paged_attention_decode. Row s of `sequences` (sequences, 4) is first row, tokens, context with the new
// tokens, and 0; row s of `table` (sequences, pages) has the blocks of its pages; both are i32, whole or split by rows.
// With k_stage and v_stage (pages, page, K, d), which have a copy per cube, split by pages, every cube first copies the
// pages that are seen there (contract::staged_pages()), and reads them from there: keys cross the mesh once per cube.
// A token sees `window` keys with its own; 0, the default: all. Pieces of rows are dealt out to all PEs of the SIP, so
// that the kernel has to run on all of them.
contract::Kernel paged_attention_prefill_kernel();

}  // namespace kb::kernels
