#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Attention of each rank's rows of Q over the K and V of all ranks (K-82). Q stays in place; blocks of K and V travel
// from rank to rank, and each block updates the running (m, l, O) of the rows that attend to it (K-83). With rank_axis
// 0, blocks travel eastward around the ring of a cube's PEs; with rank_axis 1, from every cube of a mesh row both
// eastward and westward, hop by hop (K-91). Received blocks are forwarded unchanged (K-85).
//
// Arguments: those of AttentionArguments without root and broadcast. The rows of Q, K, V and O are distributed over the
// ranks (K-89). A block has as many rows of K and V as one slot holds, at most `keys`, half of them from each part of a
// rank; the next block is in flight during the computation. Each piece of a rank's rows needs two GEMMs per block that
// it attends to (K-84). A rank with more than `rows` rows in a part forwards all blocks several times.
contract::Kernel attention_mesh_kv_kernel();

}  // namespace kb::kernels
