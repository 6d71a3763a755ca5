#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

// Operations on X (rows, columns), split by rows over the PEs of a SIP: an element-wise operation by name, softmax of
// each row, layer normalisation of each row.
Workload elementwise_workload();
Workload softmax_workload();
Workload layernorm_workload();

}  // namespace kb::sw
