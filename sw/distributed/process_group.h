// The process group: all ranks of a run (K-12 .. K-21).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/topology/ccl_config.h"
#include "sw/distributed/algorithms.h"
#include "sw/distributed/all_reduce_choice.h"
#include "sw/distributed/communicator.h"
#include "sw/distributed/queue_plan.h"
#include "sw/distributed/shared_ring_memory.h"
#include "sw/distributed/tile_layout.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {

// The communicator of all ranks: member r is rank r and owns SIP r. The main program creates it once, before its ranks
// (K-12, K-14). Collectives are called by every rank of a spawn of world_size() ranks, or by the main program when that
// is 1.
class ProcessGroup : public Communicator {
 public:
  // Wires all queues (K-58). Throws the configuration Errors of the collective configuration and the program Errors of
  // the queues; then no queue is installed.
  ProcessGroup(Runtime& runtime, const topology::CclOptions& options = {});

  std::string backend() const { return "ahbm"; }
  int world_size() const { return size(); }
  const topology::CclConfig& config() const { return config_; }

  // The placement that all_reduce needs, one row per tile; algorithms with a tile per cube also accept a single tile.
  DPPolicy all_reduce_policy() const;
  // Configuration Error at `candidates` when a candidate of the user is not eligible for such calls: all_reduce of one
  // tile per SIP (`one_cube`), or with a root. all_reduce throws the same error; this reports it before data is
  // written.
  void require_candidates(bool one_cube, bool has_root) const;
  // Replaces the tensor on every rank, in place, by the combination over all ranks and tiles: `op` is sum, max, min or
  // avg. Layout (K-65): one tile of equal size on PE 0 of every participating cube, either one cube or all; for
  // algorithms with a tile per PE, on every PE. Tiles that are larger than a slot are sent in chunks. `auto` uses the
  // fastest algorithm by formula (AllReduceCosts), which the run's report contains. Returns when every rank's kernel
  // has ended; the times are those of the caller. Program Errors: TENSOR_ERROR, LAYOUT_ERROR, and SCHEMA_ERROR for an
  // unknown operation.
  LaunchMetrics all_reduce(const Tensor& tensor, const std::string& op = "sum", const CollectiveOptions& options = {});

  // Creates a communicator of some of the ranks, in the given order, with its own queues on a ring of its members.
  // Groups may overlap without mixing their messages, and disjoint groups work concurrently. Called by the main program
  // before its ranks; the result lives as long as this object. `name` is for messages; "" generates one. Program
  // Errors: COLLECTIVE_ERROR inside a spawn; SCHEMA_ERROR for no ranks, duplicate ranks and ranks that the run does not
  // have; those of plan_queues when the rings do not fit. Configuration Error when a candidate of the user no longer
  // fits. After an error nothing has changed.
  Communicator& new_group(const std::vector<int>& ranks, const std::string& name = "");

 private:
  struct Setup;  // requirements of the configuration on this machine
  static Setup set_up(Runtime& runtime, const topology::CclOptions& options);
  ProcessGroup(Runtime& runtime, Setup setup);
  TileRule tile_rule() const;
  bool is_automatic() const { return algorithm_.name == topology::kDefaultAlgorithm; }
  AllReduceCall describe(const Tensor& tensor, const TileLayout& layout, const std::string& op,
                         const CollectiveOptions& options);
  AllReducePlan planned(AllReduceCall call, const TileLayout& layout);
  void require_algorithm() const;  // configuration Error at `module` when it has links but no all-reduce
  // Reserves memory for the rings of collectives between ranks and of candidates: the rest of three quarters of the
  // memory for rings.
  void make_pool();
  void drop_pool();  // also drops the rings in it
  void require_group(const std::vector<int>& ranks) const;
  void require_links(const std::string& call) const override;
  bool has_sip_links() const;  // the links of intercube_multisip

  topology::CclConfig config_;
  const AllReduceAlgorithm algorithm_;
  AllReduceChooser chooser_;
  bool candidates_named_ = false;  // the user listed them: each must be eligible
  int flat_ranks_ = 0;             // number of ranks of the wiring
  // slot size of new groups: smaller than in the group of all ranks, so that more rings fit
  std::uint64_t group_slot_size_ = 0;
  std::uint64_t named_slot_size_ = 0;  // set by the user; 0: not set
  struct Group;
  std::shared_ptr<void> queues_;                     // ownership of the machine's queues
  std::uint64_t rings_per_pe_ = 0, ring_bytes_ = 0;  // over all groups, as if each included every PE
  QueueInstaller installed_;                         // of all groups
  contract::QueuePlan configured_;                   // of the wiring, always installed
  MemoryReservation memory_;
  SharedRingMemory pool_;  // rings of collectives between ranks, and of candidates
  std::size_t pool_part_ = 0;
  std::vector<std::unique_ptr<Communicator>> groups_;
};

}  // namespace kb::sw
