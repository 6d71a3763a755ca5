#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Attention of query rows that are replicated in all ranks, over K and V that are distributed over the ranks (K-82,
// K-89). Each rank attends over its part, block by block with the next block in flight (K-84). Then the partial (m, l,
// O) are sent towards one rank and merged on the way (K-83), and this rank stores O / l. With rank_axis 0, the ranks
// are the ring of a cube's PEs, reduced from both sides; with rank_axis 1, the line of cubes of a mesh row (K-91). More
// than `rows` rows are processed in pieces.
//
// Arguments: those of AttentionArguments; Q is equal in all ranks. Optional arguments:
//   root       the rank that collects; -1 (default): 0 on the ring, n_ranks / 2 on the line
//   broadcast  1: it sends the result back, and every rank stores it; 0 (default): the others store nothing
contract::Kernel attention_mesh_mlo_kernel();

}  // namespace kb::kernels
