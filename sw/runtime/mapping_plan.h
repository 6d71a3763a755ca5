// Which PEs see which shards of a tensor, in as few map messages as possible.
#pragma once

#include <memory>
#include <vector>

#include "platform/contract/machine_info.h"
#include "platform/contract/requests.h"
#include "sw/tensor/placement.h"

namespace kb::sw {

// The requests that map a tensor with a virtual range on its SIP. Every PE sees each byte once: its own copy, else the
// first one in its cube, else the first of the tensor's shards. A tensor whose cube placement is `replicate` is visible
// in the cubes that hold a copy, any other one in all cubes of the SIP. PEs that see the same share a request.
std::vector<contract::MapRequest> plan_mapping(const std::shared_ptr<const contract::TensorLayout>& tensor,
                                               Split cube_split, const contract::MachineInfo& machine);
// The request that maps it on another SIP, the same for all PEs there: the first copy of each byte.
contract::MapRequest plan_remote_mapping(const std::shared_ptr<const contract::TensorLayout>& tensor, SipId sip,
                                         const contract::MachineInfo& machine);
// The one request that takes all of it back on one SIP.
contract::MapRequest plan_unmapping(const std::shared_ptr<const contract::TensorLayout>& tensor, Split cube_split,
                                    SipId sip, const contract::MachineInfo& machine);

}  // namespace kb::sw
