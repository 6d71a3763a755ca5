#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Router of a mixture of experts, for the tokens that a PE owns: logits = x w in f32 with x (tokens, dim) and w (dim,
// experts). `experts` (tokens, k; i32) gets the k largest logits of each token, largest first and the lowest index
// among equal ones. `weights` (tokens, k; f32) gets their weights: softmax over all experts, renormalised over the
// chosen ones, which equals the softmax of the chosen logits. The number of tokens per expert is added to `counts`
// (groups, experts; i32) atomically: the PEs of cube c add to row c % groups, so that with a row per cube they do not
// contend for one memory. x, experts and weights are whole, or all are split by rows; w and counts may be anywhere.
//
// w is loaded once and stays in scratch; x is streamed in blocks (rows, depth). buffers 2: loads run ahead; 1: they
// block.
contract::Kernel topk_routing_kernel();

}  // namespace kb::kernels
