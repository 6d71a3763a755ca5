#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Rotary position embedding (Su et al., RoFormer, 2021) of the tokens of `out` that a PE owns. x and out (tokens,
// heads, d) are whole, or both are split by tokens. Element i < d / 2 of a head is rotated with element i + d / 2 (the
// rotate-half convention, not adjacent pairs), by angle i of the token's position:
//   out[i] = x[i] cos[i] - x[i + d/2] sin[i],  out[i + d/2] = x[i + d/2] cos[i] + x[i] sin[i].
// Row p of `table` (positions, d) has the d / 2 cosines of position p and then its sines, in the dtype of x; the first
// token is at first_position. buffers 2: the next tokens are loaded and the previous ones stored during the
// computation; 1: loads and stores block.
contract::Kernel rotary_embedding_kernel();

}  // namespace kb::kernels
