#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Router of a mixture of experts, for the tokens that a PE owns: logits = x w in f32 with x (tokens, dim) and w (dim,
// experts), the k largest of each token in `experts` (tokens, k; i32), largest first, of equal ones the first, and
// their weights in `weights` (tokens, k; f32): softmax over all experts, renormalised over the chosen ones, which is
// the softmax of the chosen logits. How many tokens chose each expert is added to `counts` (groups, experts;
// i32), atomically: the PEs of cube c add to row c % groups, so that with a row per cube they do not all wait for one
// memory. x, experts and weights are whole or split by rows alike; w and counts lie anywhere.
//
// w is loaded once and stays in scratch; x passes by in blocks (rows, depth). buffers 2: loads run ahead; 1: they
// block.
contract::Kernel topk_routing_kernel();

}  // namespace kb::kernels
