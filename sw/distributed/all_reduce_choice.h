// `algorithm: auto`: which all-reduce is the fastest by formula for a tile of this size.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "platform/topology/ccl_config.h"
#include "sw/distributed/algorithms.h"
#include "sw/distributed/ring_pool.h"
#include "sw/distributed/wiring.h"
#include "sw/runtime/collective_record.h"

namespace kb::sw {

// The SIPs' cubes as a ring: neighbours of this order are neighbours in the mesh where that is possible, and the ends
// lie at the north-west corner, where the chiplet is.
std::vector<int> ring_of_cubes(int w, int h);
// The owners of tiles in that order, SIP by SIP.
std::vector<PeCoord> ring_of_owners(const contract::MachineInfo& machine, TileOwners owners);
// Who holds tiles with `tiles: auto`: one PE per cube, or every PE of a machine with one cube.
TileOwners chosen_owners(const topology::CclConfig& config, const contract::MachineInfo& machine);

class AllReduceCosts;

// What decides which candidates can serve an all-reduce.
struct CandidateUse {
  std::size_t ranks = 0;
  bool sips_only = false;  // one tile per SIP on a machine of several cubes: the links between the SIPs alone
  SipTopology sip_topology = SipTopology::ring_1d;
  bool has_root = false;  // the call names a root cube
};
// Configuration Error at `candidates` for the first one of the list that cannot serve; says why, and which can. Without
// candidates there is nothing to serve.
void require_candidates(const topology::CclConfig& config, const CandidateUse& use);

// One way to do it.
struct AllReducePlan {
  std::string kernel;
  Args arguments;
  const LaidRings* rings = nullptr;  // that it needs; none: those of the configured wiring
};

class AllReduceChooser {
 public:
  AllReduceChooser(contract::IHost& host, const topology::CclConfig& config, TileOwners owners)
      : host_(host), config_(config), owners_(owners) {}

  // The rings that the candidates need beside those of the configured wiring, one of them at a time.
  std::set<Hops> needed_rings() const;
  // Where they lie; they live as long as this object. A candidate whose rings have no room is not chosen; configuration
  // Error at `candidates` when the user named it.
  void use_rings(std::map<Hops, const LaidRings*> rings);

  // The use that a call makes of the candidates; `cube` as of choose().
  CandidateUse use_of(int world_size, SipTopology topology, bool has_root, int cube) const;
  // Chooses the algorithm of an `auto` group; every rank gets the same. `cube`: where a single tile per SIP lies on a
  // machine of several cubes; else -1.
  const CollectiveRecord& choose(const AllReduceCall& call, int cube);
  AllReducePlan plan(const AllReduceCall& call, const CollectiveRecord& choice) const;
  // The estimate of a hierarchy that the user named: with whole tiles where they fit a slot, and the best root unless
  // one is named.
  CollectiveEstimate hierarchy(const AllReduceCall& call, int cube);

 private:
  CollectiveRecord estimated(const AllReduceCall& call, int cube);
  CollectiveEstimate best_hierarchy(const AllReduceCall& call, int cube, bool whole);
  CollectiveEstimate best_pairwise(const AllReduceCall& call, const std::vector<PeCoord>& ranks,
                                   std::uint64_t slot_size);
  std::vector<double> message_sizes(const AllReduceCall& call, double tile, std::uint64_t slot_size) const;
  // That a candidate sends through; 0 when its rings have no room.
  std::uint64_t slot_size(std::size_t which, bool sips_only) const;
  AllReduceCosts& costs(const AllReduceCall& call);

  contract::IHost& host_;
  const topology::CclConfig& config_;
  TileOwners owners_;
  std::map<Hops, const LaidRings*> rings_;
  std::map<std::pair<Dtype, bool>, std::shared_ptr<AllReduceCosts>> costs_;
  // Whether a pairwise exchange is one of whole tiles: by dtype, operation, elements, chunk and ranks.
  std::map<std::tuple<Dtype, bool, std::int64_t, std::int64_t, std::size_t>, bool> whole_pairs_;
  // By dtype, operation, elements, cubes, only cube, chunk and root.
  std::map<std::tuple<Dtype, bool, std::int64_t, int, int, std::int64_t, std::int64_t>, CollectiveRecord> known_;
};

}  // namespace kb::sw
