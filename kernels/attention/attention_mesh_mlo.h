#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Attention of query rows that every rank holds over K and V dealt out to the ranks (K-82, K-89): each rank attends
// over its part, block by block with the next one under way (K-84); then the partial (m, l, O) are folded towards one
// rank, merged on the way (K-83), which stores O / l. With rank_axis 0 on the ring of a cube's PEs, from both sides;
// with rank_axis 1 on the line of cubes of a mesh row (K-91). More than `rows` rows go one piece after the other.
//
// Arguments: those of AttentionArguments; Q is the same in every rank. Optional are
//   root       the rank that collects; -1 (default): 0 on the ring, n_ranks / 2 on the line
//   broadcast  1: it sends the result back, and every rank stores it; 0 (default): the others store nothing
contract::Kernel attention_mesh_mlo_kernel();

}  // namespace kb::kernels
