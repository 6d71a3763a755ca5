#pragma once

#include "sw/benches/bench.h"

namespace kb::sw {

// One PE moves a block between its own HBM slice and its own, a neighbour's, the farthest cube's and another SIP's.
Bench copy_bench();

}  // namespace kb::sw
