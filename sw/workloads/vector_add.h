#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

// C = A + B on all PEs of all SIPs of the run, one rank per SIP.
Workload vector_add_workload();

}  // namespace kb::sw
