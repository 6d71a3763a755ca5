// Memory and address ranges of tensors: from creation to release.
#include <fmt/format.h>

#include "platform/base/error.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {

// Memory that unfinished requests still touch cannot be handed out again, so that a full slice waits for it once.
void Runtime::allocate(contract::TensorLayout& tensor, const std::vector<ShardSpec>& placement) {
  if (released_.empty()) return place(tensor, placement);
  try {
    return place(tensor, placement);
  } catch (const Error& error) {
    if (error.code() != "ALLOCATION_ERROR" && !TensorMappings::no_room(error)) throw;
  }
  std::vector<contract::RequestId> users;
  for (const std::uint64_t id : released_) {
    const std::vector<contract::RequestId> of_tensor = tracker_.users(id);
    users.insert(users.end(), of_tensor.begin(), of_tensor.end());
  }
  tracker_.block(users, fmt::format("memory for tensor '{}'", tensor.name));
  release_unused();
  place(tensor, placement);
}

// Physical memory for every shard and a range of addresses, or nothing.
void Runtime::place(contract::TensorLayout& tensor, const std::vector<ShardSpec>& placement) {
  tensor.shards = memory_.allocate(tensor.name, placement);
  try {
    mappings_.place(tensor);
  } catch (const Error&) {
    memory_.free(tensor.shards);
    throw;
  }
}

void Runtime::map(const std::shared_ptr<const contract::TensorLayout>& tensor, const DPPolicy& policy) {
  for (const contract::RequestId id : mappings_.map(tensor, policy)) {
    tracker_.add({id, host_.current_worker(), RequestKind::map, tensor, 0, nullptr, 0});
  }
}

// Kernels reach tensors of other SIPs.
void Runtime::map_arguments(const std::vector<std::shared_ptr<contract::KernelLaunch>>& parts) {
  for (const auto& part : parts) {
    for (const contract::KernelArg& arg : part->args) {
      const auto* const tensor = std::get_if<std::shared_ptr<const contract::TensorLayout>>(&arg);
      if (tensor == nullptr) continue;
      for (const contract::RequestId id : mappings_.map_on(part->sip, (*tensor)->id)) {
        tracker_.add({id, host_.current_worker(), RequestKind::map, *tensor, 0, nullptr, 0});
      }
    }
  }
}

void Runtime::release(const std::shared_ptr<const contract::TensorLayout>& tensor) {
  for (const contract::RequestId id : mappings_.unmap(tensor->id)) {
    tracker_.add({id, host_.current_worker(), RequestKind::unmap, tensor, 0, nullptr, 0});
  }
  memory_.free(tensor->shards);
}

void Runtime::on_last_handle_gone(std::uint64_t id) noexcept {
  released_.insert(id);
}

void Runtime::release_unused() {
  for (auto id = released_.begin(); id != released_.end();) {
    const auto tensor = tensors_.find(*id);
    if (tracker_.uses(*id)) {
      ++id;
      continue;
    }
    if (tensor != tensors_.end()) {
      release(tensor->second);
      tensors_.erase(tensor);
    }
    id = released_.erase(id);
  }
}

}  // namespace kb::sw
