#pragma once

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// All-reduces over the wiring of hops: a rank reaches the one `d` ranks further around under the label hop+d, and the
// one d behind under hop-d. Every PE that holds a tile of `t` is a rank, and each tile of n_elem elements is replaced
// by the combination of all. Arguments
//   t, n_elem, ranks, first_rank
//   order  place in the order of ranks of each cube of a SIP, "0 1 3 2"; "" = as numbered. Rank = first_rank + place
//   links  "hop"; "global_" for the ring of SIPs, whose labels are global_E and global_W and reach one rank only
//   op     "sum", "max", "min", "avg"
//   chunk  elements per message; 0 = no limit
//   ahead, by_blocks   of hop_pairwise_allreduce, as of direct_allreduce; absent: 1
//   twice              of hop_pairwise_allreduce: 1 when two links lead to each rank; absent: 0
// PEs without a tile return at once. With n ranks, blocks are n-th parts of the tile; each is combined by its rank in
// one place, so that all ranks get the same bits, except for the whole tiles of hop_ring_allreduce.
//
//   hop_ring_allreduce      n - 1 rounds: own tile to the next rank, then what came from the one before
//   hop_scatter_allreduce   reduce-scatter, then all-gather, blocks half around the ring in both directions
//   hop_pairwise_allreduce  as direct_allreduce: by blocks, reduce-scatter, then all-gather, each block straight to
//                           its rank and from there to all; else all tiles to all
//   hop_tree_allreduce      up a binomial tree to rank 0, whole tiles, and down again
//
// Sources: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", IJHPCA 19(1),
// 2005, sections 4.2 and 4.5 (ring, pairwise exchange, reduce-scatter + all-gather, binomial trees).
contract::Kernel hop_ring_allreduce_kernel();
contract::Kernel hop_scatter_allreduce_kernel();
contract::Kernel hop_pairwise_allreduce_kernel();
contract::Kernel hop_tree_allreduce_kernel();

}  // namespace kb::kernels
