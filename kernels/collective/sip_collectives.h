#pragma once

#include <vector>

namespace kb::contract {
struct Kernel;
}

namespace kb::kernels {

// Collectives between ranks of one SIP each: PE 0 of a cube exchanges its tile with the same cube of the other SIPs;
// all cubes work concurrently. PEs without a tile return at once. Messages travel along a path through all SIPs
// (SipPath) and are forwarded from SIP to SIP. Common arguments:
// - in, out: tiles; where a rank does not use one of them, any tensor with a tile on this PE
// - n_elem: elements of a block, the contribution of one rank to another
// - n_sips, sip_rank, sip_topo_kind, sip_topo_w, sip_topo_h: as in K-45
// - chunk: elements per message; larger blocks are exchanged chunk by chunk
// - links: prefix of the labels of directions between SIPs: "global_"
// Additional arguments:
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
