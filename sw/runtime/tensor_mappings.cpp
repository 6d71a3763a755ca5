#include "sw/runtime/tensor_mappings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/address/address_space.h"
#include "platform/base/error.h"
#include "platform/contract/i_host.h"
#include "platform/contract/requests.h"
#include "platform/contract/tensor_layout.h"
#include "platform/ops/op_types.h"
#include "sw/runtime/mapping_plan.h"

namespace kb::sw {

TensorMappings::TensorMappings(contract::IHost& host)
    : host_(host),
      virtual_(host.machine().page_size, host.machine().address_range),
      logical_(host.machine().hbm_alignment, host.machine().address_range) {}

void TensorMappings::place(contract::TensorLayout& tensor) {
  if (host_.machine().address_model == AddressModel::pa) return;
  const auto nbytes = static_cast<std::int64_t>(tensor.nbytes);
  try {
    tensor.va_base = host_.machine().address_model == AddressModel::va
                         ? address::TaggedAddress(virtual_.alloc(nbytes)).encoded()
                         : address::TaggedAddress(logical_.alloc(nbytes)).encoded();
  } catch (const Error& error) {
    if (!is_out_of_addresses(error)) throw;
    throw Error::program(error.code(),
                         fmt::format("tensor '{}' {} {}: {}; cube.memory_map.address_range_gb gives more addresses",
                                     tensor.name, dtype_name(tensor.dtype), format_shape(tensor.shape), error.what()));
  }
}

std::vector<contract::RequestId> TensorMappings::map(const std::shared_ptr<const contract::TensorLayout>& tensor,
                                                     const DPPolicy& policy) {
  std::vector<contract::RequestId> requests;
  if (!tensor->va_base) return requests;
  for (const contract::MapRequest& request : plan_mapping(tensor, policy.cube, host_.machine())) {
    requests.push_back(host_.submit(request));
  }
  mapped_.emplace(tensor->id, Mapped{tensor, policy.cube, {tensor->shards.front().owner.sip}});
  return requests;
}

std::vector<contract::RequestId> TensorMappings::map_on(SipId sip, std::uint64_t tensor) {
  const auto found = mapped_.find(tensor);
  if (found == mapped_.end() || found->second.cube_split == Split::replicate) return {};
  std::vector<SipId>& sips = found->second.sips;
  if (std::find(sips.begin(), sips.end(), sip) != sips.end()) return {};
  sips.push_back(sip);
  return {host_.submit(plan_remote_mapping(found->second.tensor, sip, host_.machine()))};
}

std::vector<contract::RequestId> TensorMappings::unmap(std::uint64_t tensor) {
  std::vector<contract::RequestId> requests;
  const auto found = mapped_.extract(tensor);
  if (found.empty()) return requests;
  const Mapped& mapped = found.mapped();
  for (const SipId sip : mapped.sips) {
    requests.push_back(host_.submit(plan_unmapping(mapped.tensor, mapped.cube_split, sip, host_.machine())));
  }
  const std::uint64_t base = address::value_of(*mapped.tensor->va_base);
  const auto nbytes = static_cast<std::int64_t>(mapped.tensor->nbytes);
  if (host_.machine().address_model == AddressModel::va) {
    virtual_.free(address::VirtAddr(base), nbytes);
  } else {
    logical_.free(address::LogicalAddr(base), nbytes);
  }
  return requests;
}

bool TensorMappings::is_out_of_addresses(const Error& error) {
  return error.code() == "VA_ALLOCATION_ERROR" || error.code() == "LA_ALLOCATION_ERROR";
}

}  // namespace kb::sw
