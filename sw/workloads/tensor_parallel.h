#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

// Forward pass of layers that are split over the SIPs of the machine (K-70 .. K-79).
Workload tp_layer_workload();              // a single layer
Workload tp_mlp_workload();                // two layers (K-79)
Workload tp_transformer_block_workload();  // attention and MLP with residual connections

}  // namespace kb::sw
