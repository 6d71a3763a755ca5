// Arguments, options and results of kernel launches.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "platform/base/units.h"
#include "platform/contract/failure_policy.h"
#include "platform/contract/request_id.h"
#include "sw/tensor/tensor.h"

namespace kb::contract {
struct KernelLaunch;
}

namespace kb::sw {

// One kernel argument as written in the workload: a parameter name and a tensor, an integer, a float or a text.
// Integers are passed unchanged; they are not converted to local dimensions (K-29).
class Arg {
 public:
  Arg(std::string name, const Tensor& tensor) : name_(std::move(name)), value_(tensor) {}
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Arg(std::string name, T value) : name_(std::move(name)), value_(to_number(value)) {}
  Arg(std::string name, std::string text) : name_(std::move(name)), value_(std::move(text)) {}
  Arg(std::string name, const char* text) : name_(std::move(name)), value_(std::string(text)) {}

  using Value = std::variant<Tensor, std::int64_t, double, std::string>;
  const std::string& name() const { return name_; }
  const Value& value() const { return value_; }

 private:
  template <typename T>
  static Value to_number(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(value);
    } else {
      return static_cast<std::int64_t>(value);
    }
  }
  std::string name_;
  Value value_;
};

// {{"a", a}, {"k", 512}}, in any order; optional arguments may be omitted.
using Args = std::vector<Arg>;

struct LaunchOptions {
  // No value: in a rank, the rank's device; in the main program, every SIP with a shard of an argument (H-80), or the
  // current device without tensors. One request per SIP (H-31).
  std::optional<std::vector<int>> sips;
  // No value: the owners of the arguments' shards on each SIP, or all cubes without tensors.
  std::optional<std::vector<int>> cubes;
  std::optional<std::vector<int>> pes;  // PEs of each cube; no value: all (H-35)
  contract::FailurePolicy failure_policy = contract::FailurePolicy::fail_fast;
  std::string label;  // for reports
  // On each SIP the kernels begin when all launches that were submitted there before have ended, successful or not. The
  // device finds that out by a barrier of the PEs; without it the host has to wait() before the next launch.
  bool queued = false;
};

// A checked launch with prepared arguments. It can be submitted without simulated time passing, also together with the
// launches of other ranks.
struct PreparedLaunch {
  std::string kernel;
  std::string label;
  std::vector<std::shared_ptr<contract::KernelLaunch>> parts;  // one per SIP
};

// Handle of a launch; cheap to copy.
struct LaunchHandle {
  std::size_t index = 0;  // in launch order
};

// Metrics over all PEs of all requests of one launch. Times are in femtoseconds.
struct LaunchMetrics {
  TimeFs submitted = 0_fs;
  TimeFs completed = 0_fs;
  TimeFs total() const { return completed - submitted; }
  TimeFs start = kNever;   // when the first kernel body was entered
  TimeFs exec_min = 0_fs;  // pe_exec
  TimeFs exec_max = 0_fs;  // critical path (H-38)
  TimeFs dma_max = 0_fs;   // sum over the DMA operations, which overlap
  // time in which the read or the write channels of PE_DMA were in use, the longer of the two
  TimeFs channel_max = 0_fs;
  TimeFs compute_max = 0_fs;
  std::size_t pes = 0;
  std::size_t late_pes = 0;  // PEs at which the launch arrived after its start stamp (H-50)
  TimeFs late_max = 0_fs;
};

// The runtime's record of a launch.
struct LaunchState {
  std::string kernel;
  std::string label;
  contract::FailurePolicy failure_policy = contract::FailurePolicy::fail_fast;
  std::vector<contract::RequestId> requests;  // one per SIP
  bool settled = false;                       // completed, with its late PEs counted
};

}  // namespace kb::sw
