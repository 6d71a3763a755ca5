// Maps ranks to PEs and pairs their directions (Q-75, Q-79..Q-81, Q-84). Independent of memory and time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/base/ids.h"
#include "platform/contract/machine_info.h"
#include "platform/topology/ccl_config.h"
#include "sw/distributed/neighbours.h"

namespace kb::sw {

// The other end of a link; `link` is an index into the links of wiring.ranks[rank].
struct WiredEnd {
  std::size_t rank = 0;
  std::size_t link = 0;
  friend bool operator==(const WiredEnd& a, const WiredEnd& b) { return a.rank == b.rank && a.link == b.link; }
};

struct WiredLink {
  std::size_t direction = 0;        // index into Wiring::directions
  std::optional<WiredEnd> send_to;  // the end whose ring this end sends to; no value for a receive-only end
  bool receives = true;             // false for a send-only end, which has no ring
};

struct WiredRank {
  PeCoord pe;
  std::vector<WiredLink> links;  // ascending by direction
};

// Links of all ranks. Every receiving end is the target of exactly one other end.
struct Wiring {
  std::vector<std::string> directions;  // all labels in use: the fixed direction list of the installation
  std::vector<WiredRank> ranks;
  // links without a return direction, which are not installed: "rank 3 'E' -> 4"
  std::vector<std::string> left_out;

  const std::string& label(const WiredLink& link) const { return directions[link.direction]; }
};

// the label under which `peer` has the link that leaves `me` under `direction`: the opposite label if the peer
// has it and it leads back, otherwise the first label of the peer that leads back, otherwise no value.
std::optional<std::string> reverse_direction(const NeighbourTable& peer_table, int me, const std::string& direction,
                                             Flow flow = Flow::both);

// Pairs the directions of the ranks; rank r is the PE ranks[r]. Program Error WIRING_ERROR with rank and label:
// duplicate label in a table, a neighbour that is not a rank or is the rank itself, a PE with two ranks, two ends that
// send to one.
Wiring wire(const std::vector<PeCoord>& ranks, const NeighbourFunction& neighbours_of);

// The PEs of the machine in (sip, cube, pe) order, and the default rank map: PE 0 of cube 0 of each SIP if these
// suffice, otherwise all PEs in order. SCHEMA_ERROR when there are more ranks than PEs.
std::vector<PeCoord> all_pes(const contract::MachineInfo& machine);
std::vector<PeCoord> default_rank_map(const contract::MachineInfo& machine, int ranks);

// Creates the configured wiring:
//   intercube_multisip  PE 0 of every cube: N/S/E/W to PE 0 of the adjacent cubes, global_* to PE 0 of the same cube
//                       of the adjacent SIPs (K-58)
//   intracube_ring      the PEs of every cube as a ring by index, E/W (K-90)
//   flat                world_size ranks by default_rank_map, 0 = all PEs, neighbours by `topology`; `none`:
//                       `supplied`, which is asked for ranks 0 .. world_size - 1
// `intra_cube` adds intra_* links between all PEs of every cube. A list of `links` replaces everything else.
// Configuration Error when grid and ranks do not match, or when neighbours must be supplied and are not.
Wiring make_wiring(const topology::CclConfig& config, const contract::MachineInfo& machine,
                   const NeighbourFunction& supplied = nullptr);

// Links of a ring of ranks by distance: 1; the powers of two, in both directions; or all, with two links each as in
// make_direct_wiring. Labels are those of RankTopology::hops.
enum class Hops { neighbours, powers_of_two, all };
Wiring make_hop_wiring(const std::vector<PeCoord>& ring, Hops hops);

// A wiring with only these links; the ranks are the linked PEs, in ascending order. Configuration Error at the link for
// a PE that the machine does not have, a link to itself, or two links of a PE with one label.
Wiring wire_links(const std::vector<topology::CclLink>& links, const contract::MachineInfo& machine);

// A ring of SIPs in the given order: PE 0 of every cube has `prefix`E to the same cube of the next SIP and `prefix`W to
// that of the previous SIP. A single SIP has no links.
Wiring make_group_wiring(const std::vector<int>& sips, const std::string& prefix, const contract::MachineInfo& machine);

// Links between all pairs of SIPs, two per pair: PE 0 of every cube has `prefix`+d to the same cube of the SIP that is
// d places ahead in the given order (cyclically), and `prefix`-d to that of the SIP d places behind. d is at most half
// of the number of SIPs for the first links, and larger by the number of SIPs for the second ones; the opposite SIP has
// four links.
Wiring make_direct_wiring(const std::vector<int>& sips, const std::string& prefix,
                          const contract::MachineInfo& machine);

}  // namespace kb::sw
