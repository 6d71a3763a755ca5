// Collectives between the SIPs, verified.
#pragma once

#include "sw/benches/bench.h"

namespace kb::sw {

// All-reduce of one tile per cube over the whole machine, by the configured algorithm (ccl.yaml).
Bench ccl_allreduce_bench();

}  // namespace kb::sw
