// Plans the mapping of tensor shards on PEs, with as few map messages as possible.
#pragma once

#include <memory>
#include <vector>

#include "platform/contract/machine_info.h"
#include "platform/contract/requests.h"
#include "sw/tensor/placement.h"

namespace kb::sw {

// The requests that map a tensor with a virtual range on its SIP. Every PE maps each byte once: its own copy, otherwise
// the first one in its cube, otherwise the first of the tensor's shards. A tensor with cube placement `replicate` is
// mapped in the cubes that hold a copy, any other tensor in all cubes of the SIP. PEs with equal mappings share a
// request.
std::vector<contract::MapRequest> plan_mapping(const std::shared_ptr<const contract::TensorLayout>& tensor,
                                               Split cube_split, const contract::MachineInfo& machine);
// The request that maps the tensor on another SIP, equal for all PEs there: the first copy of each byte.
contract::MapRequest plan_remote_mapping(const std::shared_ptr<const contract::TensorLayout>& tensor, SipId sip,
                                         const contract::MachineInfo& machine);
// The request that unmaps the whole tensor on one SIP.
contract::MapRequest plan_unmapping(const std::shared_ptr<const contract::TensorLayout>& tensor, Split cube_split,
                                    SipId sip, const contract::MachineInfo& machine);

}  // namespace kb::sw
