// Ranks that work together: the communicator of a run (chapter 08, sections 4 and 5).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/topology/ccl_config.h"
#include "sw/distributed/algorithms.h"
#include "sw/distributed/queue_plan.h"
#include "sw/distributed/tile_layout.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {

struct CollectiveOptions {
  std::int64_t root_cube = -1;      // that collects inside a SIP; -1: the centre (K-56)
  std::int64_t chunk_elements = 0;  // per message; 0: a tile is one message
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

  // Returns when every rank has called it (K-19); takes no simulated time by itself.
  void barrier();

 private:
  struct Entry {  // what a rank brings to a meeting
    std::string what;
    PreparedLaunch launch;
  };
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
