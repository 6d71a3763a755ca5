#pragma once

#include <vector>

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// The collectives of sip_collectives.h for ranks that are all linked to each other: each block goes from memory
// directly to its rank's memory, in consecutive chunks. PE 0 of every cube communicates with the same cube of the other
// SIPs; PEs without a tile return at once. Common arguments:
// - in, out: tiles; where a rank does not use one of them, any tensor with a tile on this PE
// - n_elem: elements of a block, the contribution of one rank to another
// - n_sips, sip_rank: number of ranks, and the own rank
// - chunk: elements per message; 0: as many as the scratch allows
// - ahead: chunks that are sent before the first one is waited for: slots of a ring
// - links: prefix of the labels: "global_" for global_+1, global_-1, ...
// Additional arguments:
//   direct_broadcast   root, pieces       pieces 1: the root sends a part to each rank, which sends it to the others
//   direct_reduce      root, op, pieces   pieces 1: each rank but the root combines a part and sends it to the root
//   direct_allreduce   op, by_blocks      by_blocks 1: each rank combines a block and sends it to all;
//                                         0: all tiles to all ranks, which add them in the order of ranks
//   direct_all_gather, direct_reduce_scatter (op), direct_gather (root), direct_scatter (root), direct_all_to_all,
//   direct_send_recv (source, target)
//
// With n ranks and blocks of S bytes, every rank sends and receives at most, in k chunks one after the other:
//   all_gather, reduce_scatter, all_to_all, gather, scatter   (n - 1) S, one step
//   broadcast, reduce     (n - 1) S, one step; with pieces S, two steps
//   all_reduce            (n - 1) S, one step; by blocks 2 (n - 1) / n S, two steps
// Sources: Thakur, Rabenseifner, Gropp 2005 (pairwise exchange); van de Geijn, "On global combine operations", JPDC 22
// (1994): scatter and collect.
std::vector<contract::Kernel> direct_collective_kernels();

}  // namespace kb::kernels
