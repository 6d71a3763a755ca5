// The SIPs that a run may use: the value of --device (H-78, H-80).
#pragma once

#include <string>
#include <vector>

#include "platform/contract/machine_info.h"

namespace kb::sw {

// "all" -> all SIPs, "sip:N" -> {N}. Configuration Error for any other value and for a SIP that the machine does not
// have.
std::vector<int> parse_device(const std::string& device, const contract::MachineInfo& machine);

}  // namespace kb::sw
