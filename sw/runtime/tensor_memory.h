// Memory and address ranges of a context's tensors.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "platform/contract/i_host.h"
#include "sw/runtime/arena.h"
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
  // Allocates physical memory for every shard and an address range, or nothing on failure. Memory of dropped tensors
  // that unfinished requests still use cannot be reused; when a slice is full, this waits for it once.
  // With an arena, the shards lie at `offset` in it, and only the address range is allocated.
  void place(const std::shared_ptr<contract::TensorLayout>& tensor, const std::vector<ShardSpec>& placement,
             const std::shared_ptr<const Arena>& arena = nullptr, std::uint64_t offset = 0);
  // Submits the map requests of a placed tensor.
  void map(const LayoutRef& tensor, const DPPolicy& policy);
  // Maps the tensors among the arguments on the SIPs of the launch, because kernels may access tensors of other SIPs.
  void map_arguments(const std::vector<std::shared_ptr<contract::KernelLaunch>>& parts);

  LayoutRef layout(std::uint64_t id) const { return placed_.at(id); }  // for a tensor with memory
  DeviceMemory& device() { return device_; }
  const DeviceMemory& device() const { return device_; }
  bool pristine() const { return device_.pristine() && mappings_.pristine(); }

  // Called when the last handle is gone: the memory is freed when no unfinished request uses it.
  void drop(std::uint64_t id) noexcept { dropped_.insert(id); }
  void release_unused();
  void release_all();  // in creation order, regardless of use

 private:
  void allocate(contract::TensorLayout& tensor, const std::vector<ShardSpec>& placement);
  void release(const LayoutRef& tensor);
  void free(const contract::TensorLayout& tensor);

  contract::IHost& host_;
  RequestTracker& tracker_;
  DeviceMemory device_;
  TensorMappings mappings_;
  std::map<std::uint64_t, LayoutRef> placed_;                     // in creation order
  std::map<std::uint64_t, std::shared_ptr<const Arena>> arenas_;  // of tensors that have no memory of their own
  std::set<std::uint64_t> dropped_;
  std::uint64_t next_id_ = 1;
};

}  // namespace kb::sw
