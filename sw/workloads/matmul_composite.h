#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

// C (m, n) = A (m, k) x B (k, n) on one PE as one composite with epilogues; operands are streamed tile by tile or
// loaded completely before (E-19).
Workload matmul_composite_workload();
// Y = op(X), element by element, in the same way.
Workload math_composite_workload();

}  // namespace kb::sw
