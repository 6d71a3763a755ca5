// The ranks that share a model (K-70): what layers are made with.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sw/distributed/communicator.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {

// What a step of a forward pass is for.
enum class StepKind { product, exchange, layout, pointwise };

struct ParallelStep {
  std::string name;  // "up: linear"
  StepKind kind = StepKind::product;
  LaunchMetrics metrics;
};

// Made after the process group (K-70), by the main program, or by every rank for the group it is in; layers are made
// and called by the ranks. Who shares the model are the members of the communicator: the process group, a group of some
// ranks, or an axis of a DeviceMesh.
class ModelParallel {
 public:
  // Program Error COLLECTIVE_ERROR when `size`, the wanted number of ranks, is neither 0 (all) nor that of the group.
  ModelParallel(Runtime& runtime, Communicator& group, int size = 0);
  ModelParallel(const ModelParallel&) = delete;
  ModelParallel& operator=(const ModelParallel&) = delete;

  Runtime& runtime() { return runtime_; }
  int size() const { return group_.size(); }  // ranks that share the model
  int rank();                                 // of the caller in [0, size())

  // One rank's share of `total`. SHAPE_ERROR naming `what` when it cannot be split evenly.
  std::int64_t share(std::int64_t total, const std::string& what) const;
  // The same for what is padded with zeros at its end: where `total` cannot be split evenly the share is rounded up, to
  // a multiple of the PEs of a SIP when there are as many.
  std::int64_t padded_share(std::int64_t total) const;
  // DEVICE_ERROR naming `what` unless the caller is bound to its own SIP (K-80).
  void require_device(const std::string& what);
  // The tensor is on the caller's SIP and has this dtype: TENSOR_ERROR, LAYOUT_ERROR, DTYPE_ERROR naming `what`.
  void require_tensor(const std::string& what, const Tensor& tensor, Dtype dtype);

  // Launches, waits, and writes down what it took.
  void run(const std::string& name, StepKind kind, const std::string& kernel, const Args& args,
           const LaunchOptions& options = {});
  void all_reduce(const std::string& name, const Tensor& tensor);
  void all_gather(const std::string& name, const Tensor& out, const Tensor& in);

  // What a rank has done so far, in order; empty for one that did nothing.
  std::vector<ParallelStep> steps(int rank) const;

 private:
  void record(const std::string& name, StepKind kind, const LaunchMetrics& metrics);

  Runtime& runtime_;
  Communicator& group_;
  std::map<int, std::vector<ParallelStep>> steps_;  // by rank
};

}  // namespace kb::sw
