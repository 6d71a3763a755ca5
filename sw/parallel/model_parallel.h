// The ranks that share a model (K-70), as layers use them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sw/distributed/communicator.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {

// Purpose of a step in a forward pass.
enum class StepKind { product, exchange, layout, pointwise };

struct ParallelStep {
  std::string name;  // "up: linear"
  StepKind kind = StepKind::product;
  LaunchMetrics metrics;
};

// Created after the process group (K-70), by the main program or by every rank for its own group; ranks create and call
// the layers. The ranks that share the model are the members of the communicator: the process group, a group of some
// ranks, or an axis of a DeviceMesh.
class ModelParallel {
 public:
  // Program Error COLLECTIVE_ERROR when the requested number of ranks `size` is neither 0 (all) nor the size of the
  // group.
  ModelParallel(Runtime& runtime, Communicator& group, int size = 0);
  ModelParallel(const ModelParallel&) = delete;
  ModelParallel& operator=(const ModelParallel&) = delete;

  Runtime& runtime() { return runtime_; }
  int size() const { return group_.size(); }  // number of ranks that share the model
  int rank();                                 // rank of the caller in [0, size())

  // One rank's part of `total`. SHAPE_ERROR that names `what` when it does not divide evenly.
  std::int64_t share(std::int64_t total, const std::string& what) const;
  // The same with zero padding at the end: if `total` does not divide evenly, the part is rounded up, to a multiple of
  // the PEs of a SIP if it is that large.
  std::int64_t padded_share(std::int64_t total) const;
  // DEVICE_ERROR that names `what` unless the caller is bound to its own SIP (K-80).
  void require_device(const std::string& what);
  // Requires that the tensor is on the caller's SIP and has this dtype: TENSOR_ERROR, LAYOUT_ERROR, DTYPE_ERROR that
  // name `what`.
  void require_tensor(const std::string& what, const Tensor& tensor, Dtype dtype);

  // Launches a kernel, waits, and records the step.
  void run(const std::string& name, StepKind kind, const std::string& kernel, const Args& args,
           const LaunchOptions& options = {});
  void all_reduce(const std::string& name, const Tensor& tensor);
  void all_gather(const std::string& name, const Tensor& out, const Tensor& in);

  // The steps of a rank so far, in order.
  std::vector<ParallelStep> steps(int rank) const;

 private:
  void record(const std::string& name, StepKind kind, const LaunchMetrics& metrics);

  Runtime& runtime_;
  Communicator& group_;
  std::map<int, std::vector<ParallelStep>> steps_;  // indexed by rank
};

}  // namespace kb::sw
