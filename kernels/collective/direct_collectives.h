#pragma once

#include <vector>

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// The collectives of sip_collectives.h where every rank has a link to every other: each block goes straight from memory
// to its rank and into its memory, in chunks that follow each other. PE 0 of every cube exchanges with the same cube of
// the other SIPs; PEs without a tile return at once. Arguments of all of them:
//   in, out          tiles; a tile that a rank has no part in may be any tensor with a tile on this PE
//   n_elem           elements of a block, what one rank contributes to another
//   n_sips, sip_rank ranks, and which one this is
//   chunk            elements per message; 0: as many as the scratch allows
//   ahead            chunks that are sent before the first one is waited for: slots of a ring
//   links            what the labels begin with: "global_", whose links are global_+1, global_-1, ...
// then
//   direct_broadcast   root, pieces       pieces 1: the root sends a part to each rank, which sends it to the others
//   direct_reduce      root, op, pieces   pieces 1: each rank but the root combines a part and sends it to the root
//   direct_allreduce   op, by_blocks      by_blocks 1: each rank combines a block and sends it to all;
//                                         0: all tiles to all ranks, which add them in the order of ranks
//   direct_all_gather, direct_reduce_scatter (op), direct_gather (root), direct_scatter (root), direct_all_to_all,
//   direct_send_recv (source, target)
//
// With n ranks and S bytes of a block every rank sends and receives, at most, in k chunks one behind the other:
//   all_gather, reduce_scatter, all_to_all, gather, scatter   (n - 1) S, one step
//   broadcast, reduce     (n - 1) S, one step; with pieces S, two steps
//   all_reduce            (n - 1) S, one step; by blocks 2 (n - 1) / n S, two steps
// Sources: Thakur, Rabenseifner, Gropp 2005 (pairwise exchange); van de Geijn, "On global combine operations", JPDC 22
// (1994): scatter and collect.
std::vector<contract::Kernel> direct_collective_kernels();

}  // namespace kb::kernels
