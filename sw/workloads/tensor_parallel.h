#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

// Layers split over the SIPs of the machine, forward (K-70 .. K-79).
Workload tp_layer_workload();              // one layer alone
Workload tp_mlp_workload();                // two layers (K-79)
Workload tp_transformer_block_workload();  // attention and MLP with residual paths

}  // namespace kb::sw
