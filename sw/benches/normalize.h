#pragma once

#include "sw/benches/bench.h"

namespace kb::sw {

// X (rows, columns) split by rows over the PEs of a SIP: an element-wise operation by name, softmax of each row, layer
// normalisation of each row.
Bench elementwise_bench();
Bench softmax_bench();
Bench layernorm_bench();

}  // namespace kb::sw
