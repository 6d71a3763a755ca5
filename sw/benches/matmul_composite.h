#pragma once

#include "sw/benches/bench.h"

namespace kb::sw {

// C (m, n) = A (m, k) x B (k, n) on one PE as one composite with epilogues; operands are streamed tile by tile or
// loaded whole beforehand (E-19).
Bench matmul_composite_bench();

}  // namespace kb::sw
