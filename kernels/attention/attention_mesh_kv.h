#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Attention of every rank's rows of Q over the K and V of all ranks (K-82): Q stays, blocks of K and V travel from rank
// to rank and each updates the running (m, l, O) of the rows it meets (K-83). With rank_axis 0 around the ring of a
// cube's PEs, eastward; with rank_axis 1 from every cube of a mesh row both eastward and westward, hop by hop (K-91).
// Received blocks are sent on as they came (K-85).
//
// Arguments: those of AttentionArguments without root and broadcast. Rows of Q, K, V and O are dealt out to the ranks
// (K-89). A block is as many rows of K and as many of V as one slot holds, at most `keys`, half of them from each part
// of a rank; the next one is under way while one is computed with. Two GEMMs for each piece of a rank's rows and block
// that it sees something of (K-84). A rank with more than `rows` rows in a part passes all blocks on several times.
contract::Kernel attention_mesh_kv_kernel();

}  // namespace kb::kernels
