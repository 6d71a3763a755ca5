// One PE to another, as a message or as a store.
#pragma once

#include "sw/benches/bench.h"

namespace kb::sw {

// Time from the common start to the end of the slower PE (E-64, E-65), between any two PEs.
Bench pe_to_pe_bench();

}  // namespace kb::sw
