// C = A x B on one PE, and distributed over the PEs of a SIP.
#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

// A (m, k), B (k, n) and C (m, n) are completely in the HBM slice of PE 0 of cube 0, which computes C.
Workload gemm_single_pe_workload();
// A and C are split by rows over all PEs of the current SIP; B is replicated per PE or per cube.
Workload gemm_multi_pe_workload();

}  // namespace kb::sw
