// What a host program is told about the machine.
#pragma once

#include "platform/contract/machine_info.h"

namespace kb::topology {
struct Graph;
}

namespace kb::sim {

contract::MachineInfo machine_info(const topology::Graph& graph);

}  // namespace kb::sim
