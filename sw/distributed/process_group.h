// Ranks that work together: all of a run (K-12 .. K-21).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/topology/ccl_config.h"
#include "sw/distributed/algorithms.h"
#include "sw/distributed/all_reduce_choice.h"
#include "sw/distributed/communicator.h"
#include "sw/distributed/queue_plan.h"
#include "sw/distributed/ring_pool.h"
#include "sw/distributed/tile_layout.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {

// The communicator of all ranks: member r is rank r and owns SIP r. Made once, by the main program, before its ranks
// (K-12, K-14); collectives are called by every rank of a spawn of world_size() ranks, or by the main program when that
// is 1.
class ProcessGroup : public Communicator {
 public:
  // Wires all queues (K-58). Configuration Errors of the collective configuration, program Errors of the queues; then
  // nothing is installed.
  ProcessGroup(Runtime& runtime, const topology::CclOptions& options = {});

  std::string backend() const { return "ahbm"; }
  int world_size() const { return size(); }
  const topology::CclConfig& config() const { return config_; }

  // The placement that all_reduce wants, one row per tile; algorithms with a tile per cube also take a single tile.
  DPPolicy all_reduce_policy() const;
  // Configuration Error at `candidates` when one that the user named cannot serve calls like that: all_reduce of one
  // tile per SIP (`one_cube`), or with a root. all_reduce says the same; this says it before anything is written.
  void require_candidates(bool one_cube, bool has_root) const;
  // Replaces the tensor, in place and on every rank, by its combination over all ranks and tiles: `op` is sum, max, min
  // or avg. Layout (K-65): one tile of equal size on PE 0 of every participating cube, which is one cube or all of
  // them; for algorithms with a tile per PE, on every PE. Tiles larger than a slot are sent in chunks. `auto` takes the
  // fastest algorithm by formula (AllReduceCosts); what it took is in the run's report. Returns when every rank's
  // kernel has ended; the times are those of the caller's. Program Errors: TENSOR_ERROR, LAYOUT_ERROR, SCHEMA_ERROR for
  // an operation that does not exist.
  LaunchMetrics all_reduce(const Tensor& tensor, const std::string& op = "sum", const CollectiveOptions& options = {});

  // A communicator of some of the ranks, in the given order, with queues of its own around a ring of its members:
  // groups may overlap, never mix their messages, and work at the same time when they are disjoint. Made by the main
  // program, before its ranks; lives as long as this object. `name` is for messages; "" makes one up. Program Errors:
  // COLLECTIVE_ERROR inside a spawn; SCHEMA_ERROR for no ranks, ranks twice and ranks that the run has not; those of
  // plan_queues when the rings do not fit; configuration Error when a candidate that the user named has no room any
  // more. After an error nothing has changed.
  Communicator& new_group(const std::vector<int>& ranks, const std::string& name = "");

 private:
  struct Setup;  // what the configuration asks for on this machine
  static Setup set_up(Runtime& runtime, const topology::CclOptions& options);
  ProcessGroup(Runtime& runtime, Setup setup);
  TileRule tile_rule() const;
  bool is_automatic() const { return algorithm_.name == topology::kDefaultAlgorithm; }
  AllReduceCall describe(const Tensor& tensor, const TileLayout& layout, const std::string& op,
                         const CollectiveOptions& options);
  AllReducePlan planned(AllReduceCall call, const TileLayout& layout);
  void require_algorithm() const;  // configuration Error at `module` of an entry with links only
  // For the rings of collectives between the ranks and of candidates: what is left of three quarters of the room.
  void make_pool();
  void drop_pool();  // and the rings in it
  void require_group(const std::vector<int>& ranks) const;
  void require_links(const std::string& call) const override;
  bool has_sip_links() const;  // those of intercube_multisip

  topology::CclConfig config_;
  const AllReduceAlgorithm algorithm_;
  AllReduceChooser chooser_;
  bool candidates_named_ = false;      // by the user: each of them is to serve
  int flat_ranks_ = 0;                 // of the wiring
  std::uint64_t group_slot_size_ = 0;  // of new_group: more of them fit than of the group of all ranks
  std::uint64_t named_slot_size_ = 0;  // by the user; 0: none
  struct Group;
  std::shared_ptr<void> queues_;                     // the claim
  std::uint64_t rings_per_pe_ = 0, ring_bytes_ = 0;  // of all groups, as if each had every PE
  InstalledQueues installed_;                        // of all groups
  contract::QueuePlan configured_;                   // of the wiring, at all times
  MemoryReservation memory_;
  RingPool pool_;  // of collectives between the ranks, and of candidates
  std::size_t pool_part_ = 0;
  std::vector<std::unique_ptr<Communicator>> groups_;
};

}  // namespace kb::sw
