#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

// One PE copies a block between its own HBM slice and that of itself, of a neighbour, of the farthest cube, and of
// another SIP.
Workload copy_workload();

}  // namespace kb::sw
