// C = A x B on one PE and spread over the PEs of a SIP.
#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

// All of A (m, k), B (k, n) and C (m, n) in the HBM slice of PE 0 of cube 0, which computes C.
Workload gemm_single_pe_workload();
// A and C are split by rows over all PEs of the current SIP; every PE, or every cube, has its own B.
Workload gemm_multi_pe_workload();

}  // namespace kb::sw
