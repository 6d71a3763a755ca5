// Distributed tensors, verified.
#pragma once

#include <vector>

#include "sw/benches/bench.h"
#include "sw/tensor/host_array.h"

namespace kb::sw {

// A tensor changes its placements on a mesh of SIPs.
Bench redistribute_bench();
// A layer and its gradient on a grid of SIPs: tensor parallel along one axis, data parallel along the other.
Bench grid_linear_bench();

// The verdicts of grid-linear on Y = X W and dW = X^T Y, both in f32.
std::vector<data::VerificationRow> grid_rows(const HostArray& x, const HostArray& w, std::size_t ranks,
                                             const HostArray& y, const HostArray& gradient);

}  // namespace kb::sw
