// `algorithm: auto`: selects the all-reduce that is the fastest by formula for a tile size.
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
#include "sw/distributed/shared_ring_memory.h"
#include "sw/distributed/wiring.h"
#include "sw/runtime/collective_record.h"

namespace kb::sw {

// Cubes of a mesh in ring order: consecutive cubes are neighbours in the mesh if possible, and the ends of the order
// are at the north-west corner, near the chiplet.
std::vector<int> ring_of_cubes(int w, int h);
// Owners of tiles in that order, SIP by SIP.
std::vector<PeCoord> ring_of_owners(const contract::MachineInfo& machine, TileOwners owners);
// Owners of tiles for `tiles: auto`: one PE per cube, or every PE of a machine with one cube.
TileOwners chosen_owners(const topology::CclConfig& config, const contract::MachineInfo& machine);

class AllReduceCosts;

// Properties of an all-reduce that determine the eligible candidates.
struct CandidateQuery {
  std::size_t ranks = 0;
  bool sips_only = false;  // one tile per SIP on a machine with several cubes: only links between SIPs are used
  SipTopology sip_topology = SipTopology::ring_1d;
  bool has_root = false;  // the call specifies a root cube
};
// Configuration Error at `candidates` for the first candidate that is not eligible; the message gives the reason and
// the eligible ones. An empty list is valid.
void require_candidates(const topology::CclConfig& config, const CandidateQuery& use);

// One way to execute an all-reduce.
struct AllReducePlan {
  std::string kernel;
  Args arguments;
  const RingLayout* rings = nullptr;  // required rings; null: those of the configured wiring
};

class AllReduceChooser {
 public:
  AllReduceChooser(contract::IHost& host, const topology::CclConfig& config, TileOwners owners)
      : host_(host), config_(config), owners_(owners) {}

  // Rings that candidates need in addition to the configured wiring; only one of them is installed at a time.
  std::set<Hops> required_rings() const;
  // Sets the layouts of these rings, which must outlive this object. A candidate whose rings do not fit is not chosen;
  // configuration Error at `candidates` when the user listed it.
  void use_rings(std::map<Hops, const RingLayout*> rings);

  // The use that a call makes of the candidates; `cube` as in choose().
  CandidateQuery use_of(int world_size, SipTopology topology, bool has_root, int cube) const;
  // Chooses the algorithm of an `auto` group; all ranks get the same choice. `cube`: the cube of the tile when each SIP
  // has a single tile on a machine with several cubes, otherwise -1.
  const CollectiveRecord& choose(const AllReduceCall& call, int cube);
  AllReducePlan plan(const AllReduceCall& call, const CollectiveRecord& choice) const;
  // Estimate for a hierarchy that the user selected: with whole tiles if they fit a slot, and the best root unless the
  // call specifies one.
  CollectiveEstimate hierarchy(const AllReduceCall& call, int cube);

 private:
  CollectiveRecord estimated(const AllReduceCall& call, int cube);
  CollectiveEstimate best_hierarchy(const AllReduceCall& call, int cube, bool whole);
  CollectiveEstimate best_pairwise(const AllReduceCall& call, const std::vector<PeCoord>& ranks,
                                   std::uint64_t slot_size);
  std::vector<double> message_sizes(const AllReduceCall& call, double tile, std::uint64_t slot_size) const;
  // Slot size of a candidate's rings; 0 when they do not fit.
  std::uint64_t slot_size(std::size_t which, bool sips_only) const;
  AllReduceCosts& costs(const AllReduceCall& call);

  contract::IHost& host_;
  const topology::CclConfig& config_;
  TileOwners owners_;
  std::map<Hops, const RingLayout*> rings_;
  std::map<std::pair<Dtype, bool>, std::shared_ptr<AllReduceCosts>> costs_;
  // Whether a pairwise exchange uses whole tiles. Key: dtype, operation, elements, chunk and ranks.
  std::map<std::tuple<Dtype, bool, std::int64_t, std::int64_t, std::size_t>, bool> whole_pairs_;
  // Key: dtype, operation, elements, cubes, only cube, chunk and root.
  std::map<std::tuple<Dtype, bool, std::int64_t, int, int, std::int64_t, std::int64_t>, CollectiveRecord> known_;
};

}  // namespace kb::sw
