// Collectives between ranks, verified: one bench each.
#pragma once

#include <vector>

#include "sw/benches/bench.h"

namespace kb::sw {

std::vector<Bench> rank_collective_benches();

}  // namespace kb::sw
