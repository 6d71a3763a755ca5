// Verified workloads with distributed tensors.
#pragma once

#include <vector>

#include "sw/tensor/host_array.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

// A tensor changes its placements on a mesh of SIPs.
Workload redistribute_workload();
// A layer and its gradient on a grid of SIPs: tensor parallel along one axis, data parallel along the other.
Workload grid_linear_workload();

// Verifies grid-linear: Y = X W and dW = X^T Y, both in f32.
std::vector<data::VerificationRow> grid_rows(const HostArray& x, const HostArray& w, std::size_t ranks,
                                             const HostArray& y, const HostArray& gradient);

}  // namespace kb::sw
