// Transfers from one PE to another, as a message or as a store.
#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

// Measures the time from the common start to the end of the slower PE (E-64, E-65), between any two PEs.
Workload pe_to_pe_workload();

}  // namespace kb::sw
