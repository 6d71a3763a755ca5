// Linear layers as composites: projections of transformers, large products over all PEs, and an MLP block.
#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

// Y = X (tokens, hidden) x W (hidden, 3 hidden) + bias, the query, key and value projections of one layer: on one PE,
// and with the columns of W split over the PEs of a SIP.
Workload qkv_gemm_workload();
Workload qkv_gemm_multi_pe_workload();
// The same with the sizes of the GPT-3 models (Brown et al. 2020, table 2.1) and the columns of W split over every PE
// of the machine.
Workload gpt3_qkv_workload();
// C = A x B over every PE of the machine: A and B are whole in every PE's HBM slice, C is split by rows.
Workload matmul_composite_multi_pe_workload();
// Y = relu(X x W1 + b1) x W2 + b2 in one launch, with the rows of X split over the PEs of a SIP.
Workload mlp_workload();

}  // namespace kb::sw
