// Benches that measure the machine rather than compute.
#pragma once

#include "sw/benches/bench.h"

namespace kb::sw {

// Launches of an empty kernel on all PEs of the current SIP.
Bench noop_bench();
// Many small loads and stores of one PE: the speed of kernel commands.
Bench stream_bench();

}  // namespace kb::sw
