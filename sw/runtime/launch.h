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

#include "platform/contract/failure_policy.h"
#include "platform/contract/request_id.h"
#include "sw/tensor/tensor.h"

namespace kb::contract {
struct KernelLaunch;
}

namespace kb::sw {

// One kernel argument as written in the workload: the name of a parameter and a tensor, an integer, a float or a text.
// Integers arrive in the kernel as written; nothing is rewritten to local dimensions (K-29).
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

// {{"a", a}, {"k", 512}}, in any order; optional arguments may be left out.
using Args = std::vector<Arg>;

struct LaunchOptions {
  // Absent: in a rank the rank's device; in the main program every SIP that holds a shard of an argument (H-80), or the
  // current device when there are no tensors. One request per SIP (H-31).
  std::optional<std::vector<int>> sips;
  // Absent: on each SIP the owners of the arguments' shards, or all cubes when there are no tensors.
  std::optional<std::vector<int>> cubes;
  std::optional<std::vector<int>> pes;  // in each cube; absent: all (H-35)
  contract::FailurePolicy failure_policy = contract::FailurePolicy::fail_fast;
  std::string label;  // for reports
};

// A launch that was checked and whose arguments are in place: it can be submitted without time passing, also together
// with those of other ranks.
struct PreparedLaunch {
  std::string kernel;
  std::string label;
  std::vector<std::shared_ptr<contract::KernelLaunch>> parts;  // one per SIP
};

// Names a launch; cheap to copy.
struct LaunchHandle {
  std::size_t index = 0;  // in the order of launch()
};

// Over all PEs of all requests of one launch. Times in femtoseconds.
struct LaunchMetrics {
  TimeFs submitted = 0_fs;
  TimeFs completed = 0_fs;
  TimeFs total() const { return completed - submitted; }
  TimeFs start = kNever;      // first kernel body entered
  TimeFs exec_min = 0_fs;     // pe_exec
  TimeFs exec_max = 0_fs;     // critical path (H-38)
  TimeFs dma_max = 0_fs;      // summed over the operations, which go on at once
  TimeFs channel_max = 0_fs;  // in which the read or the write channels of PE_DMA were in use, whichever longer
  TimeFs compute_max = 0_fs;
  std::size_t pes = 0;
  std::size_t late_pes = 0;  // arrived after the start stamp (H-50)
  TimeFs late_max = 0_fs;
};

// One launch as the runtime remembers it.
struct LaunchState {
  std::string kernel;
  std::string label;
  contract::FailurePolicy failure_policy = contract::FailurePolicy::fail_fast;
  std::vector<contract::RequestId> requests;  // one per SIP
  bool settled = false;                       // completed, and its late PEs are counted
};

}  // namespace kb::sw
