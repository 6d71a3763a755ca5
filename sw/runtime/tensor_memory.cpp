#include "sw/runtime/tensor_memory.h"

#include <fmt/format.h>

#include "platform/base/error.h"
#include "platform/contract/i_host.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/tensor_layout.h"

namespace kb::sw {

void TensorMemory::place(const std::shared_ptr<contract::TensorLayout>& tensor, const std::vector<ShardSpec>& placement,
                         const std::shared_ptr<const Arena>& arena, std::uint64_t offset) {
  if (arena) {
    tensor->shards = arena->place(tensor->name, placement, offset);
    mappings_.place(*tensor);
    arenas_.emplace(tensor->id, arena);
    placed_.emplace(tensor->id, tensor);
    return;
  }
  try {
    allocate(*tensor, placement);
  } catch (const Error& error) {
    const bool full = error.code() == "ALLOCATION_ERROR" || TensorMappings::is_out_of_addresses(error);
    if (!full || dropped_.empty()) throw;
    std::vector<contract::RequestId> users;
    for (const std::uint64_t id : dropped_) {
      const std::vector<contract::RequestId> of_tensor = tracker_.users(id);
      users.insert(users.end(), of_tensor.begin(), of_tensor.end());
    }
    tracker_.block(users, fmt::format("memory for tensor '{}'", tensor->name));
    release_unused();
    allocate(*tensor, placement);
  }
  placed_.emplace(tensor->id, tensor);
}

void TensorMemory::allocate(contract::TensorLayout& tensor, const std::vector<ShardSpec>& placement) {
  tensor.shards = device_.allocate(tensor.name, placement, tensor.memory);
  try {
    mappings_.place(tensor);
  } catch (const Error&) {
    device_.free(tensor.shards, tensor.memory);
    throw;
  }
}

void TensorMemory::map(const LayoutRef& tensor, const DPPolicy& policy) {
  for (const contract::RequestId id : mappings_.map(tensor, policy)) {
    tracker_.add({id, host_.current_worker(), RequestKind::map, tensor, 0, nullptr, 0});
  }
}

void TensorMemory::map_arguments(const std::vector<std::shared_ptr<contract::KernelLaunch>>& parts) {
  for (const auto& part : parts) {
    for (const contract::KernelArg& arg : part->args) {
      const auto* const tensor = std::get_if<LayoutRef>(&arg);
      if (tensor == nullptr) continue;
      for (const contract::RequestId id : mappings_.map_on(part->sip, (*tensor)->id)) {
        tracker_.add({id, host_.current_worker(), RequestKind::map, *tensor, 0, nullptr, 0});
      }
    }
  }
}

void TensorMemory::release(const LayoutRef& tensor) {
  for (const contract::RequestId id : mappings_.unmap(tensor->id)) {
    tracker_.add({id, host_.current_worker(), RequestKind::unmap, tensor, 0, nullptr, 0});
  }
  free(*tensor);
}

void TensorMemory::free(const contract::TensorLayout& tensor) {
  if (arenas_.erase(tensor.id) == 0) device_.free(tensor.shards, tensor.memory);
}

void TensorMemory::release_unused() {
  for (auto id = dropped_.begin(); id != dropped_.end();) {
    if (tracker_.uses(*id)) {
      ++id;
      continue;
    }
    const auto tensor = placed_.find(*id);
    if (tensor != placed_.end()) {
      release(tensor->second);
      placed_.erase(tensor);
    }
    id = dropped_.erase(id);
  }
}

void TensorMemory::release_all() {
  for (const auto& [id, tensor] : placed_) release(tensor);
  placed_.clear();
  dropped_.clear();
}

}  // namespace kb::sw
