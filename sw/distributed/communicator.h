// Collectives between ranks (K-16, K-20).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "platform/base/machine_choices.h"
#include "platform/contract/i_host.h"
#include "sw/distributed/direct_costs.h"
#include "sw/distributed/rendezvous.h"
#include "sw/distributed/shared_ring_memory.h"
#include "sw/distributed/tile_layout.h"
#include "sw/runtime/collective_record.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {

struct CollectiveOptions {
  std::int64_t root_cube = -1;  // root cube inside a SIP; -1: the centre (K-56)
  // elements per message; 0: one message per tile; between ranks, as many as a slot holds
  std::int64_t chunk_elements = 0;
  std::string purpose;  // purpose for messages; members must agree on it
  // all_reduce_ranks: each member combines a block, which all members then get, instead of whole tiles. Unset: the
  // faster one by formula (AllReduceCosts); the run's report contains the choice.
  std::optional<bool> by_blocks = {};
  // Blocks go directly to their rank, which needs rings between all pairs of members, instead of along the path of
  // SIPs, where each SIP forwards them. Unset: directly if the rings fit.
  std::optional<bool> direct = {};
  // start_all_reduce_ranks: how much later than the common start this member begins, when nothing of its SIP is before.
  TimeFs delay = 0_fs;
};

// An ordered subset of the ranks of a run: member i is rank ranks()[i] of the spawn and owns the SIP with that number.
// Created by ProcessGroup. Collectives are called inside a spawn with one rank per SIP of the run, or by the main
// program when there is one SIP. They must be called by all members and by no other rank; other ranks are not affected.
// Every member calls the same collectives in the same order with the same element count, dtype and operation. A
// mismatch is a program Error COLLECTIVE_ERROR that names the ranks, and so are waiting for a rank that has ended or
// waits elsewhere forever, and a call by a rank that is not a member.
//
// A collective combines the tile of each cube with the tiles of the same cube of the other members, in all cubes
// concurrently. Layout: one tile of equal size in any set of cubes, equal on every member and for both tensors. A tile
// is at one PE, or distributed over several PEs of its cube (any DPPolicy without copies inside a cube); tiles may be
// copies of each other. A block is the contribution of one member to another; a tile with several blocks has them
// contiguous, in member order. Tiles may have any size: messages that are larger than a slot are sent in chunks. Roots,
// sources and targets are member numbers: 0 .. size() - 1. Collectives return when the caller's kernel has ended; the
// times are those of its SIP. Program Errors: TENSOR_ERROR when a tensor is not on the device; LAYOUT_ERROR for other
// layouts, and for tensors that do not match or are on another rank's SIP; SCHEMA_ERROR for a root that is not a member
// and an unknown operation. Configuration Error when the wiring has no links between the SIPs.
class Communicator {
 public:
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int size() const { return static_cast<int>(members_.ranks.size()); }
  // Member number of the calling rank; COLLECTIVE_ERROR when it is not a member.
  int rank();
  bool has(int rank_of_spawn) const;
  const std::string& name() const { return members_.name; }         // for messages; "" for all ranks
  const std::vector<int>& ranks() const { return members_.ranks; }  // ranks of the spawn (= SIPs), by member

  LaunchMetrics broadcast(const Tensor& tensor, int root, const CollectiveOptions& options = {});
  // Combines all tensors in place: reduce() only on the root, all_reduce_ranks() on every member. Operations: sum, max,
  // min, avg.
  LaunchMetrics reduce(const Tensor& tensor, int root, const std::string& op = "sum",
                       const CollectiveOptions& options = {});
  LaunchMetrics all_reduce_ranks(const Tensor& tensor, const std::string& op = "sum",
                                 const CollectiveOptions& options = {});
  // Submits a queued launch and does not wait for it (H-49a): each member begins when the launches before it on its SIP
  // have ended. Takes no simulated time.
  LaunchHandle start_all_reduce_ranks(const Tensor& tensor, const std::string& op = "sum",
                                      const CollectiveOptions& options = {});
  // The same with a separate result; `in` is unchanged.
  LaunchMetrics all_reduce_ranks(const Tensor& out, const Tensor& in, const std::string& op = "sum",
                                 const CollectiveOptions& options = {});
  // `out` has size() times the elements of `in`.
  LaunchMetrics all_gather(const Tensor& out, const Tensor& in, const CollectiveOptions& options = {});
  // `out` is used only on the root; elsewhere it may be empty.
  LaunchMetrics gather(const Tensor& out, const Tensor& in, int root, const CollectiveOptions& options = {});
  // `in` has size() times the elements of `out`: member r gets block r of the combination or of the root's tensor.
  LaunchMetrics reduce_scatter(const Tensor& out, const Tensor& in, const std::string& op = "sum",
                               const CollectiveOptions& options = {});
  // `in` is used only on the root; elsewhere it may be empty.
  LaunchMetrics scatter(const Tensor& out, const Tensor& in, int root, const CollectiveOptions& options = {});
  // Block r of `out` on member s is block s of `in` on member r; both have a multiple of size() elements per tile.
  LaunchMetrics all_to_all(const Tensor& out, const Tensor& in, const CollectiveOptions& options = {});
  // Copies the tensor of `source` to that of `target`. All members call it, because members in between forward
  // messages; their tensors are unchanged.
  LaunchMetrics send_recv(const Tensor& tensor, int source, int target, const CollectiveOptions& options = {});

  // Barrier: returns when every member has called it (K-19); takes no simulated time by itself.
  void barrier();

  Runtime& runtime() const { return runtime_; }

 protected:
  struct Members {
    std::vector<int> ranks;  // ranks of the spawn, by member
    std::string name;        // for messages; "" for all ranks
    std::uint64_t slot_size = 0;
    // Links that the members use.
    SipTopology topology = SipTopology::ring_1d;
    int grid_w = 0, grid_h = 0;
    QueueMemory memory = QueueMemory::tcm;  // memory of the slots
    std::string links = "global_";          // prefix of the link labels
    std::uint32_t n_slots = 1;
  };
  // Rings that a call installs when all members have arrived. `direct`: between all pairs of members; `path`: along the
  // path, if it is not permanently installed.
  struct Rings {
    QueueInstaller* installed = nullptr;
    std::size_t part = 0;
    const RingLayout* direct = nullptr;
    const RingLayout* path = nullptr;
  };
  Communicator(Runtime& runtime, Members members, std::shared_ptr<BlockedRanks> waiting);

  void use_rings(const Rings& rings) { rings_ = rings; }
  void lay(const RingLayout& rings);  // has no effect when they are installed
  // Barrier: returns when every member has called it, at the same simulated time.
  void meet(Rendezvous::Entry entry) { rendezvous_.attend(std::move(entry)); }
  const std::shared_ptr<BlockedRanks>& waiting() const { return waiting_; }
  // Requires that a rank's tensors are on its own SIP.
  void require_own_sip(const Tensor& tensor, int sip) const;

 private:
  struct Call {  // one member's part of a collective
    std::string name;
    DirectCall kind{};
    std::string kernel;  // name without the prefix "direct_" or "sip_"
    Tensor in, out;
    std::int64_t in_blocks = 1, out_blocks = 1;        // blocks per tile
    std::vector<std::pair<std::string, int>> members;  // root, or source and target
    std::string op;                                    // "": no operation
    CollectiveOptions options;
    bool chooses = false;  // between whole tiles and blocks
    bool queued = false;
  };
  // Execution of a call.
  struct Plan {
    bool direct = false;
    std::int64_t chunk = 0;  // elements per message
    std::int64_t ahead = 1;  // direct exchange: chunks that are sent before the first one is waited for
    bool in_parts = false;   // broadcast and reduce in pieces, all-reduce by blocks
    const RingLayout* rings = nullptr;
  };
  LaunchHandle start(const Call& call);
  LaunchMetrics run(const Call& call) { return runtime_.wait(start(call)); }
  Plan plan(const Call& call, const TileLayout& tiles, std::int64_t block);
  Plan direct_plan(const Call& call, const TileLayout& tiles, std::int64_t block);
  Plan path_plan(const Call& call, const TileLayout& tiles, std::int64_t block);
  PreparedLaunch prepared(const Call& call, const Plan& plan, std::int64_t block);
  // Chooses by formula; the choice is cached.
  const CollectiveRecord& all_reduce_choice(const Call& call, const TileLayout& tiles, std::int64_t fits, bool direct);
  TileLayout tiles(const Call& call, const Tensor& tensor) const;
  std::int64_t block_elements(const Call& call, const TileLayout& in, const TileLayout& out) const;
  // Configuration Error when the links for `call` are missing.
  virtual void require_links(const std::string& call) const { (void)call; }
  int member() const;  // member number of the caller; 0 in the main program

  Runtime& runtime_;
  Members members_;
  std::shared_ptr<BlockedRanks> waiting_;
  Rendezvous rendezvous_;
  Rings rings_;
  std::map<std::tuple<bool, Dtype, std::string, std::int64_t, std::vector<int>, std::int64_t>, CollectiveRecord>
      choices_;
  // Key: call and operation, dtype, block, cubes, specified members, and largest message.
  std::map<std::tuple<std::string, Dtype, std::int64_t, std::vector<int>, std::vector<int>, std::int64_t>, DirectPlan>
      direct_plans_;
};

}  // namespace kb::sw
