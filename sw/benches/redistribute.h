// Distributed tensors, verified.
#pragma once

#include "sw/benches/bench.h"

namespace kb::sw {

// A tensor changes its placements on a mesh of SIPs.
Bench redistribute_bench();
// A layer and its gradient on a grid of SIPs: tensor parallel along one axis, data parallel along the other.
Bench grid_linear_bench();

}  // namespace kb::sw
