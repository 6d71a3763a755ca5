// Memory and address ranges of a context's tensors: from creation to release.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "platform/contract/i_host.h"
#include "sw/runtime/device_memory.h"
#include "sw/runtime/request_tracker.h"
#include "sw/runtime/tensor_mappings.h"
#include "sw/tensor/placement.h"

namespace kb::contract {
struct KernelLaunch;
struct TensorLayout;
}  // namespace kb::contract

namespace kb::sw {

using LayoutRef = std::shared_ptr<const contract::TensorLayout>;

class TensorMemory {
 public:
  TensorMemory(contract::IHost& host, RequestTracker& tracker)
      : host_(host), tracker_(tracker), device_(host.machine()), mappings_(host) {}

  std::uint64_t new_id() { return next_id_++; }
  // Physical memory for every shard and a range of addresses, or nothing. Memory that unfinished requests still touch
  // cannot be handed out again, so that a full slice waits for it once.
  void place(const std::shared_ptr<contract::TensorLayout>& tensor, const std::vector<ShardSpec>& placement);
  // Submits the map requests of a tensor that was placed.
  void map(const LayoutRef& tensor, const DPPolicy& policy);
  // Maps the tensors among the arguments where the launch runs: kernels reach tensors of other SIPs.
  void map_arguments(const std::vector<std::shared_ptr<contract::KernelLaunch>>& parts);

  LayoutRef layout(std::uint64_t id) const { return placed_.at(id); }  // of a tensor that has memory
  DeviceMemory& device() { return device_; }
  const DeviceMemory& device() const { return device_; }
  bool pristine() const { return device_.pristine() && mappings_.pristine(); }

  // The last handle is gone: the memory is returned when no unfinished request uses it any more.
  void drop(std::uint64_t id) noexcept { dropped_.insert(id); }
  void release_unused();
  void release_all();  // in the order of creation, whatever uses it

 private:
  void allocate(contract::TensorLayout& tensor, const std::vector<ShardSpec>& placement);
  void release(const LayoutRef& tensor);

  contract::IHost& host_;
  RequestTracker& tracker_;
  DeviceMemory device_;
  TensorMappings mappings_;
  std::map<std::uint64_t, LayoutRef> placed_;  // in creation order
  std::set<std::uint64_t> dropped_;
  std::uint64_t next_id_ = 1;
};

}  // namespace kb::sw
