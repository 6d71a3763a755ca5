// Which PE is which rank, and which direction pairs with which (Q-75, Q-79..Q-81, Q-84). Knows neither memory nor time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/base/ids.h"
#include "platform/contract/machine_info.h"
#include "platform/topology/ccl_config.h"
#include "sw/distributed/neighbours.h"

namespace kb::sw {

// The other end of a link: `link` is an index into the links of wiring.ranks[rank].
struct WiredEnd {
  std::size_t rank = 0;
  std::size_t link = 0;
  friend bool operator==(const WiredEnd& a, const WiredEnd& b) { return a.rank == b.rank && a.link == b.link; }
};

struct WiredLink {
  std::size_t direction = 0;        // index into Wiring::directions
  std::optional<WiredEnd> send_to;  // into whose ring this end sends; none on a receive-only end
  bool receives = true;             // has a ring of its own; not on a send-only end
};

struct WiredRank {
  PeCoord pe;
  std::vector<WiredLink> links;  // in ascending order of direction
};

// Links of all ranks. Every end that receives is the target of exactly one other end.
struct Wiring {
  std::vector<std::string> directions;  // the fixed direction list of the installation: all labels in use
  std::vector<WiredRank> ranks;
  std::vector<std::string> left_out;  // links without a way back, which are not installed: "rank 3 'E' -> 4"

  const std::string& label(const WiredLink& link) const { return directions[link.direction]; }
};

// the label under which `peer` sees the link that leaves `me` under `direction`: the opposite when the peer has
// it and it leads back, else the first in the peer's table that leads back, else none.
std::optional<std::string> reverse_direction(const NeighbourTable& peer_table, int me, const std::string& direction,
                                             Flow flow = Flow::both);

// Pairs the directions of the ranks, rank r being ranks[r]. Program Error WIRING_ERROR naming rank and label: a label
// twice in a table, a neighbour that is not a rank or the rank itself, a PE that is two ranks, two ends that send to
// one.
Wiring wire(const std::vector<PeCoord>& ranks, const NeighbourFunction& neighbours_of);

// The PEs of the machine in (sip, cube, pe) order, and what the default rank map makes of a rank count: PE 0 of
// cube 0 of each SIP while they suffice, else that order. SCHEMA_ERROR when there are more ranks than PEs.
std::vector<PeCoord> all_pes(const contract::MachineInfo& machine);
std::vector<PeCoord> default_rank_map(const contract::MachineInfo& machine, int ranks);

// The wiring that the configuration asks for:
//   intercube_multisip  PE 0 of every cube: N/S/E/W to PE 0 of the cubes beside it, global_* to PE 0 of the same cube
//                       of the SIPs beside its own (K-58)
//   intracube_ring      the PEs of every cube as a ring by index, E/W (K-90)
//   flat                world_size ranks by default_rank_map, 0 = all PEs, neighbours by `topology`; `none`:
//                       `supplied`, which is asked for ranks 0 .. world_size - 1
// `intra_cube` adds intra_* links between all PEs of every cube. A list of `links` stands for all of it. Configuration
// Error when grid and ranks do not match, or the neighbours are to be supplied and are not.
Wiring make_wiring(const topology::CclConfig& config, const contract::MachineInfo& machine,
                   const NeighbourFunction& supplied = nullptr);

// Links around a ring of ranks, by their distance: 1; the powers of two, counted either way around; every one, by two
// links as those of make_direct_wiring. Labels are those of RankTopology::hops.
enum class Hops { neighbours, powers_of_two, all };
Wiring make_hop_wiring(const std::vector<PeCoord>& ring, Hops hops);

// These links alone; ranks are the PEs that have any, in their order. Configuration Error at the link for a PE that the
// machine does not have, one that is linked to itself, or two links of a PE under one label.
Wiring wire_links(const std::vector<topology::CclLink>& links, const contract::MachineInfo& machine);

// A ring of SIPs in the given order: PE 0 of every cube of each has `prefix`E to PE 0 of the same cube of the next one
// and `prefix`W to that of the one before. One SIP alone has no links.
Wiring make_group_wiring(const std::vector<int>& sips, const std::string& prefix, const contract::MachineInfo& machine);

// Every SIP with every other, by two links: PE 0 of every cube has `prefix`+d to the same cube of the SIP d places
// further in the given order, around, and `prefix`-d to that of the one d places behind. d is up to half of the SIPs,
// and of the second links their number more; to the SIP that is as far ahead as behind lead four.
Wiring make_direct_wiring(const std::vector<int>& sips, const std::string& prefix,
                          const contract::MachineInfo& machine);

}  // namespace kb::sw
