#pragma once

#include "sw/benches/bench.h"

namespace kb::sw {

// Layers split over the SIPs of the machine, forward (chapter 08, section 11).
Bench tp_layer_bench();              // one layer alone
Bench tp_mlp_bench();                // two layers (K-79)
Bench tp_transformer_block_bench();  // attention and MLP with residual paths

}  // namespace kb::sw
