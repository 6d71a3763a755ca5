#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// All-reduces over the wiring of hops: label hop+d leads to the rank `d` ahead on the ring, hop-d to the rank d behind.
// Every PE that holds a tile of `t` is a rank, and each tile of n_elem elements is replaced by the combination of all
// tiles. Arguments:
// - t, n_elem, ranks, first_rank
// - order: position of each cube of a SIP in the rank order, "0 1 3 2"; "" = by number. Rank = first_rank + position
// - links: "hop"; "global_" for the ring of SIPs with the labels global_E and global_W, which reach only adjacent ranks
// - op: "sum", "max", "min", "avg"
// - chunk: elements per message; 0 = no limit
// - ahead, by_blocks (hop_pairwise_allreduce): as for direct_allreduce; default 1
// - twice (hop_pairwise_allreduce): 1 when two links lead to each rank; default 0
// PEs without a tile return at once. With n ranks, blocks are n-th parts of the tile. Each block is combined by one
// rank, so that all ranks get the same bits; hop_ring_allreduce instead combines whole tiles in every rank.
//
// - hop_ring_allreduce: n - 1 rounds; sends its own tile to the next rank, then the tile of the previous one
// - hop_scatter_allreduce: reduce-scatter, then all-gather; half of the blocks travel in each direction of the ring
// - hop_pairwise_allreduce: as direct_allreduce; by blocks: reduce-scatter, then all-gather, each block directly to its
//   rank and from there to all; otherwise all tiles to all ranks
// - hop_tree_allreduce: whole tiles up a binomial tree to rank 0, and down again
//
// Sources: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", IJHPCA 19(1),
// 2005, sections 4.2 and 4.5 (ring, pairwise exchange, reduce-scatter + all-gather, binomial trees).
contract::Kernel hop_ring_allreduce_kernel();
contract::Kernel hop_scatter_allreduce_kernel();
contract::Kernel hop_pairwise_allreduce_kernel();
contract::Kernel hop_tree_allreduce_kernel();

}  // namespace kb::kernels
