#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

// One PE moves a block between its own HBM slice and its own, a neighbour's, the farthest cube's and another SIP's.
Workload copy_workload();

}  // namespace kb::sw
