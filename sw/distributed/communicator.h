// Ranks that exchange tensors with each other: the collectives between ranks (K-16, K-20).
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
#include "sw/distributed/ring_pool.h"
#include "sw/distributed/tile_layout.h"
#include "sw/runtime/collective_record.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {

struct CollectiveOptions {
  std::int64_t root_cube = -1;      // that collects inside a SIP; -1: the centre (K-56)
  std::int64_t chunk_elements = 0;  // per message; 0: a tile is one message; between ranks, as much as a slot holds
  std::string purpose;              // what it is for, in messages; members must agree on it
  // In all_reduce_ranks each member combines a block that all get, instead of whole tiles. Unset: what is faster by
  // formula (AllReduceCosts); it is in the run's report.
  std::optional<bool> by_blocks = {};
  // Whether blocks go straight to their rank, which needs rings between every two members, or along the path of the
  // SIPs, where each passes them on. Unset: straight where the rings fit.
  std::optional<bool> direct = {};
};

// Ranks of a run that work together, in an order of their own: member i is the rank ranks()[i] of the spawn and owns
// the SIP of that number. Made by ProcessGroup. Collectives are called inside a spawn of as many ranks as the run has
// SIPs, or by the main program when that is one; by all members and no other rank, while ranks outside do what they
// like. Every member calls the same collectives in the same order with the same element count, dtype and operation:
// what does not match ends in a program Error COLLECTIVE_ERROR that names the ranks, and so does waiting for a rank
// that has ended or waits elsewhere forever, and a call of a rank that is not a member.
//
// A collective combines the tile of each cube with the tiles of the same cube of the other members, in all cubes at the
// same time. Layout: one tile of equal size in any set of cubes, the same on every member and for both tensors; a tile
// lies at one PE or, part after part, at several PEs of its cube (any DPPolicy without copies inside a cube); tiles may
// be copies of each other. A block is what one member contributes to another; a tile of several blocks has
// them one behind the other, in the order of members. Tiles of any size: messages larger than a slot are sent in
// chunks. Roots, sources and targets are members: 0 .. size() - 1. Collectives return when the caller's kernel has
// ended; the times are those of its SIP. Program Errors: TENSOR_ERROR when a tensor is not on the device, LAYOUT_ERROR
// for other layouts, tensors that do not fit each other or lie on another rank's SIP, SCHEMA_ERROR for a root that is
// no member and an operation that does not exist; configuration Error when the wiring has no links between the SIPs.
class Communicator {
 public:
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int size() const { return static_cast<int>(members_.ranks.size()); }
  // Member that the calling rank is: COLLECTIVE_ERROR when it is none.
  int rank();
  bool has(int rank_of_spawn) const;
  const std::string& name() const { return members_.name; }         // for messages; "": all ranks
  const std::vector<int>& ranks() const { return members_.ranks; }  // of the spawn = SIPs, by member

  LaunchMetrics broadcast(const Tensor& tensor, int root, const CollectiveOptions& options = {});
  // The combination of all tensors, in place: on the root, whose tensor alone changes; on every member. Operations:
  // sum, max, min, avg.
  LaunchMetrics reduce(const Tensor& tensor, int root, const std::string& op = "sum",
                       const CollectiveOptions& options = {});
  LaunchMetrics all_reduce_ranks(const Tensor& tensor, const std::string& op = "sum",
                                 const CollectiveOptions& options = {});
  // The same, but `in` keeps its contents.
  LaunchMetrics all_reduce_ranks(const Tensor& out, const Tensor& in, const std::string& op = "sum",
                                 const CollectiveOptions& options = {});
  // out has size() times the elements of in.
  LaunchMetrics all_gather(const Tensor& out, const Tensor& in, const CollectiveOptions& options = {});
  // `out` is read on the root only, elsewhere it may be empty.
  LaunchMetrics gather(const Tensor& out, const Tensor& in, int root, const CollectiveOptions& options = {});
  // in has size() times the elements of out: member r gets block r, of the combination or of the root's tensor.
  LaunchMetrics reduce_scatter(const Tensor& out, const Tensor& in, const std::string& op = "sum",
                               const CollectiveOptions& options = {});
  // `in` is read on the root only, elsewhere it may be empty.
  LaunchMetrics scatter(const Tensor& out, const Tensor& in, int root, const CollectiveOptions& options = {});
  // Block r of out on member s is block s of in on member r; both have a multiple of size() elements per tile.
  LaunchMetrics all_to_all(const Tensor& out, const Tensor& in, const CollectiveOptions& options = {});
  // The tensor of `source` replaces that of `target`. Every member calls it, since members between the two pass
  // messages on; tensors of others keep their contents.
  LaunchMetrics send_recv(const Tensor& tensor, int source, int target, const CollectiveOptions& options = {});

  // Returns when every member has called it (K-19); takes no simulated time by itself.
  void barrier();

  Runtime& runtime() const { return runtime_; }

 protected:
  struct Members {
    std::vector<int> ranks;  // of the spawn, by member
    std::string name;        // for messages; "": all ranks
    std::uint64_t slot_size = 0;
    // Over which links they talk.
    SipTopology topology = SipTopology::ring_1d;
    int grid_w = 0, grid_h = 0;
    QueueMemory memory = QueueMemory::tcm;  // that has the slots
    std::string links = "global_";          // what their labels begin with
    std::uint32_t n_slots = 1;
  };
  // Rings that a call lays when all members have come. `direct`: between every two of them; `path`: along the path,
  // where those are not there all the time.
  struct Rings {
    InstalledQueues* installed = nullptr;
    std::size_t part = 0;
    const LaidRings* direct = nullptr;
    const LaidRings* path = nullptr;
  };
  Communicator(Runtime& runtime, Members members, std::shared_ptr<WaitingRanks> waiting);

  void use_rings(const Rings& rings) { rings_ = rings; }
  void lay(const LaidRings& rings);  // unless they lie there
  // Every member, or none: returns when all have called it, in the same simulated moment.
  void meet(Rendezvous::Entry entry) { rendezvous_.attend(std::move(entry)); }
  const std::shared_ptr<WaitingRanks>& waiting() const { return waiting_; }
  // A rank's tensors lie on its own SIP.
  void require_own_sip(const Tensor& tensor, int sip) const;

 private:
  struct Call {  // one member's part of a collective
    std::string name;
    DirectCall kind{};
    std::string kernel;  // behind "direct_" or "sip_"
    Tensor in, out;
    std::int64_t in_blocks = 1, out_blocks = 1;        // of a tile
    std::vector<std::pair<std::string, int>> members;  // root, or source and target
    std::string op;                                    // "" = none
    CollectiveOptions options;
    bool chooses = false;  // between whole tiles and blocks
  };
  // How a call is done.
  struct Plan {
    bool direct = false;
    std::int64_t chunk = 0;  // elements per message
    std::int64_t ahead = 1;  // of direct ones: chunks that are sent before the first one is waited for
    bool in_parts = false;   // broadcast and reduce in pieces, all-reduce by blocks
    const LaidRings* rings = nullptr;
  };
  LaunchMetrics run(const Call& call);
  Plan plan(const Call& call, const TileLayout& tiles, std::int64_t block);
  Plan direct_plan(const Call& call, const TileLayout& tiles, std::int64_t block);
  Plan path_plan(const Call& call, const TileLayout& tiles, std::int64_t block);
  PreparedLaunch prepared(const Call& call, const Plan& plan, std::int64_t block);
  // Chooses by formula, once per case.
  const CollectiveRecord& all_reduce_choice(const Call& call, const TileLayout& tiles, std::int64_t fits, bool direct);
  TileLayout tiles(const Call& call, const Tensor& tensor) const;
  std::int64_t block_elements(const Call& call, const TileLayout& in, const TileLayout& out) const;
  // Configuration Error when there are no links for `call`.
  virtual void require_links(const std::string& call) const { (void)call; }
  int member() const;  // that the caller is; 0 in the main program

  Runtime& runtime_;
  Members members_;
  std::shared_ptr<WaitingRanks> waiting_;
  Rendezvous rendezvous_;
  Rings rings_;
  std::map<std::tuple<bool, Dtype, std::string, std::int64_t, std::vector<int>, std::int64_t>, CollectiveRecord>
      choices_;
  // The key is call and operation, dtype, block, cubes, members named and the largest message.
  std::map<std::tuple<std::string, Dtype, std::int64_t, std::vector<int>, std::vector<int>, std::int64_t>, DirectPlan>
      direct_plans_;
};

}  // namespace kb::sw
