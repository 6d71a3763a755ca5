#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Queries, keys and values of m new tokens on their way from a product to paged attention (K-220 .. K-224). A row of
// qkv (m, (H + 2 K) d), in tile layout, has H query heads, then K keys and K values. Queries and keys are normalised
// (RMSNorm with q_norm and k_norm (1, d), optional), then rotated by position: element i with i + d / 2, or with
// `interleaved` 2 i with 2 i + 1, by the angle positions[row] inv_freq[i]; cosine and sine are multiplied by
// attention_factor. All of it is computed in f32 and rounded once.
// Queries go to q (H, m, d), which is split by heads: each PE makes the heads that it owns. Keys and values go to slot
// slots[row] = block x page + offset of k_cache and v_cache (blocks, page, K, d), by the PE that owns the block;
// tokens with slot -1 are not stored. positions, slots (1, m) are i32, inv_freq (1, d / 2) is f32.
contract::Kernel rope_append_kernel();

}  // namespace kb::kernels
