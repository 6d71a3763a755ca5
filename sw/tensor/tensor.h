// Tensor handles. A handle is cheap to copy; the tensor's memory is freed when the last handle is gone.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "sw/tensor/host_array.h"
#include "sw/tensor/i_tensor_context.h"
#include "sw/tensor/placement.h"

namespace kb::contract {
struct TensorLayout;
}

namespace kb::sw {

// Rows or columns [begin, end) of a tensor.
struct Slice {
  std::int64_t begin = 0;
  std::int64_t end = -1;  // -1: to the end of the dimension
  static Slice all() { return {}; }
  static Slice one(std::int64_t index) { return {index, index < INT64_MAX ? index + 1 : index}; }
};

// State that the handles of one tensor share. Created only by the runtime context.
struct TensorState {
  std::string name;
  DPPolicy policy;
  std::vector<ShardSpec> placement;                      // in the order of layout->shards
  std::shared_ptr<const contract::TensorLayout> layout;  // null for a tensor in host memory
  HostArray staged;                                      // contents of a tensor in host memory
  std::weak_ptr<ITensorContext> context;

  TensorState() = default;
  ~TensorState();
  TensorState(const TensorState&) = delete;
  TensorState& operator=(const TensorState&) = delete;
};

// Data access throws program Errors: TENSOR_ERROR for an empty handle, a host tensor where a deployed one is needed, or
// a tensor that outlived its context; SHAPE_ERROR and DTYPE_ERROR for mismatches. A failed transfer throws the Error of
// its request.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(std::shared_ptr<TensorState> state) : state_(std::move(state)) {}

  // Metadata access never waits (K-38).
  bool valid() const { return state_ != nullptr; }
  bool deployed() const { return valid() && state_->layout != nullptr; }
  const Shape& shape() const;
  Dtype dtype() const;
  const std::string& name() const;
  const contract::TensorLayout& layout() const;                         // deployed only
  std::shared_ptr<const contract::TensorLayout> shared_layout() const;  // deployed only
  const std::vector<ShardSpec>& placement() const;                      // deployed only
  const DPPolicy& policy() const;

  // Host reads wait for the caller's pending work, and then transfer the data through the fabric (K-38, K-40). Replicas
  // are read from their first owner. In data mode off the result is a placeholder with zeros, unless all contents are
  // known.
  HostArray to_host() const;
  HostArray data() const;  // alias of to_host
  double get(std::int64_t row, std::int64_t col) const;
  // A block inside one shard as a (rows, cols) array. SHAPE_ERROR when it crosses shards (use to_host).
  HostArray get(Slice rows, Slice cols) const;
  std::string to_string() const;

  // Host writes are submitted immediately, to all replicas; a launch or host read of the same rank waits for them. They
  // do not wait for kernels in flight (H-61). Conversion to the dtype rounds once.
  const Tensor& copy_(const HostArray& source) const;  // requires equal shape and dtype
  const Tensor& copy_(const Tensor& source) const;     // a deployed source is read by the host
  void set(std::int64_t row, std::int64_t col, double value) const;
  void set(Slice rows, Slice cols, double value) const;  // inside one shard, otherwise SHAPE_ERROR (use copy_)
  void set(Slice rows, Slice cols, const HostArray& values) const;
  void fill(double value) const;

 private:
  TensorState& state() const;
  std::shared_ptr<ITensorContext> context() const;
  HostArray read_all(HostRead why) const;
  HostArray read_block(HostRead why, Slice rows, Slice cols) const;

  std::shared_ptr<TensorState> state_;
};

std::ostream& operator<<(std::ostream& out, const Tensor& tensor);  // prints metadata and data (HostRead::print)

}  // namespace kb::sw
