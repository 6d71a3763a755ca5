// Workloads that measure the machine without a computation.
#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

// Launches an empty kernel on all PEs of the current SIP.
Workload noop_workload();
// Many small loads and stores of one PE, which measure the speed of kernel commands.
Workload stream_workload();

}  // namespace kb::sw
