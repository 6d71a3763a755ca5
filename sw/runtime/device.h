// Which SIPs a run may use: the value of --device (H-78, H-80).
#pragma once

#include <string>
#include <vector>

#include "platform/contract/machine_info.h"

namespace kb::sw {

// "all" -> every SIP, "sip:N" -> {N}. Configuration Error on anything else or a SIP that the machine does not have.
std::vector<int> parse_device(const std::string& device, const contract::MachineInfo& machine);

}  // namespace kb::sw
