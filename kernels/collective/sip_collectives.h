#pragma once

#include <vector>

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Collectives between ranks, one SIP each: the tile of a cube is exchanged with the tiles of the same cube of the other
// SIPs, by PE 0; all cubes work at the same time. PEs without a tile return at once. Messages travel along a path
// through all SIPs (SipPath) and are passed on from SIP to SIP. Arguments of all of them:
//   in, out        tiles; a tile that a rank has no part in may be any tensor with a tile on this PE
//   n_elem         elements of a block, what one rank contributes to another
//   n_sips, sip_rank, sip_topo_kind, sip_topo_w, sip_topo_h   as of K-45
//   chunk          elements per message; larger blocks are exchanged chunk by chunk
//   links          what the labels of the directions between the SIPs begin with: "global_"
// then
//   sip_broadcast       root       out = in of the root (in and out the same tensor, or two)
//   sip_reduce          root, op   out of the root = combination of all ins
//   sip_allreduce       op, by_blocks   out = combination of all ins; by_blocks 1: instead of whole tiles, each rank
//                                       combines a block of n_elem / n_sips elements, which all ranks then get
//   sip_all_gather                 block r of out = in of rank r
//   sip_reduce_scatter  op         out of rank r = combination of the blocks r of all ins
//   sip_gather          root       block r of out of the root = in of rank r
//   sip_scatter         root       out of rank r = block r of in of the root
//   sip_all_to_all                 block r of out of rank s = block s of in of rank r
//   sip_send_recv       source, target   out of the target = in of the source
std::vector<contract::Kernel> sip_collective_kernels();

}  // namespace kb::kernels
