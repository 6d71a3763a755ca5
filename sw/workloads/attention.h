// Verified attention workload on message queues.
#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

// Grouped-query attention of one SIP: prefill or decode, over the PEs of cubes or over the cubes of a mesh row (K-82 ..
// K-92).
Workload attention_workload();

}  // namespace kb::sw
