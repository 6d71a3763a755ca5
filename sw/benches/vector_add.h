#pragma once

#include "sw/benches/bench.h"

namespace kb::sw {

// C = A + B on all PEs of all SIPs of the run, one rank per SIP.
Bench vector_add_bench();

}  // namespace kb::sw
