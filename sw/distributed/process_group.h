// Ranks that work together: the communicator of a run (chapter 08, sections 4 and 5).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/topology/ccl_config.h"
#include "sw/distributed/algorithms.h"
#include "sw/distributed/queue_plan.h"
#include "sw/distributed/tile_layout.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {

struct CollectiveOptions {
  std::int64_t root_cube = -1;      // that collects inside a SIP; -1: the centre (K-56)
  std::int64_t chunk_elements = 0;  // per message; 0: a tile is one message; between ranks, as much as a slot holds
};

// Rank r owns SIP r. Made once, by the main program, before its ranks (K-12, K-14); collectives are called by every
// rank of a spawn of world_size() ranks, or by the main program when that is 1. Every rank must call the same
// collectives in the same order with the same element count, dtype and operation: what does not match ends in a program
// Error COLLECTIVE_ERROR that names the ranks, and so does waiting for a rank that has ended.
class ProcessGroup {
 public:
  // Wires all queues (K-58). Configuration Errors of the collective configuration, program Errors of the queues; then
  // nothing is installed.
  ProcessGroup(Runtime& runtime, const topology::CclOptions& options = {});
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  std::string backend() const { return "ahbm"; }
  int world_size() const { return world_size_; }
  int rank() { return runtime_.rank(); }
  const topology::CclConfig& config() const { return config_; }

  // The placement that all_reduce wants, one row per tile; lrab_hierarchical_allreduce also takes a single tile.
  DPPolicy all_reduce_policy() const;
  // Replaces the tensor, in place and on every rank, by its combination over all ranks and tiles: `op` is sum, max, min
  // or avg. Layout (K-65): one tile of equal size on PE 0 of every participating cube, which is one cube or all of
  // them; for algorithms with a tile per PE, on every PE. A tile, or a chunk of it, fits a slot. Returns when every
  // rank's kernel has ended; the times are those of the caller's. Program Errors: TENSOR_ERROR, LAYOUT_ERROR,
  // SCHEMA_ERROR for an operation that does not exist.
  LaunchMetrics all_reduce(const Tensor& tensor, const std::string& op = "sum", const CollectiveOptions& options = {});

  // Collectives between ranks: the tile of each cube with the tiles of the same cube of the other ranks, in all cubes
  // at the same time. Layout: one tile of equal size on PE 0 of any set of cubes, the same on every rank and for both
  // tensors; tiles may be copies of each other. A block is what one rank contributes to another; a tile of several
  // blocks has them one behind the other, in the order of ranks. Tiles of any size: messages larger than a slot are
  // sent in chunks. Wiring intercube_multisip. Program Errors: those of all_reduce, LAYOUT_ERROR also when tensors do
  // not fit each other or lie on another rank's SIP, SCHEMA_ERROR for a root that is no rank.
  LaunchMetrics broadcast(const Tensor& tensor, int root, const CollectiveOptions& options = {});
  // The combination of all ranks' tensors, in place: on the root, whose tensor alone changes; on every rank.
  LaunchMetrics reduce(const Tensor& tensor, int root, const std::string& op = "sum",
                       const CollectiveOptions& options = {});
  LaunchMetrics all_reduce_ranks(const Tensor& tensor, const std::string& op = "sum",
                                 const CollectiveOptions& options = {});
  // out has world_size() times the elements of in.
  LaunchMetrics all_gather(const Tensor& out, const Tensor& in, const CollectiveOptions& options = {});
  // `out` is read on the root only, elsewhere it may be empty.
  LaunchMetrics gather(const Tensor& out, const Tensor& in, int root, const CollectiveOptions& options = {});
  // in has world_size() times the elements of out: rank r gets block r, of the combination or of the root's tensor.
  LaunchMetrics reduce_scatter(const Tensor& out, const Tensor& in, const std::string& op = "sum",
                               const CollectiveOptions& options = {});
  // `in` is read on the root only, elsewhere it may be empty.
  LaunchMetrics scatter(const Tensor& out, const Tensor& in, int root, const CollectiveOptions& options = {});
  // Block r of out on rank s is block s of in on rank r; both have a multiple of world_size() elements per tile.
  LaunchMetrics all_to_all(const Tensor& out, const Tensor& in, const CollectiveOptions& options = {});
  // The tensor of `source` replaces that of `target`. Every rank calls it, since ranks between the two pass messages
  // on; tensors of others keep their contents.
  LaunchMetrics send_recv(const Tensor& tensor, int source, int target, const CollectiveOptions& options = {});

  // Returns when every rank has called it (K-19); takes no simulated time by itself.
  void barrier();

 private:
  struct Entry {  // what a rank brings to a meeting
    std::string what;
    PreparedLaunch launch;
  };
  struct RankCall {  // one rank's part of a collective between ranks
    std::string name, kernel;
    Tensor in, out;
    std::int64_t in_blocks = 1, out_blocks = 1;      // of a tile
    std::vector<std::pair<std::string, int>> ranks;  // root, or source and target
    std::string op;                                  // "" = none
    CollectiveOptions options;
  };
  LaunchMetrics run(const RankCall& call);
  TileLayout rank_tiles(const RankCall& call, const Tensor& tensor) const;
  void require_own_sip(const Tensor& tensor, int sip) const;
  TileRule tile_rule() const;
  AllReduceCall describe(const Tensor& tensor, const std::string& op, const CollectiveOptions& options);
  // Every rank of the group, or none: returns when all have called it, in the same simulated moment.
  void meet(Entry entry);
  void require_agreement() const;
  std::string absent() const;

  Runtime& runtime_;
  topology::CclConfig config_;
  const AllReduceAlgorithm& algorithm_;
  int world_size_ = 1;
  int flat_ranks_ = 0;  // of the wiring
  PlannedQueues queues_;
  std::map<int, Entry> meeting_;  // by rank
};

}  // namespace kb::sw
