// What a user can change: parameters that tune, and the hash of the memory's channels.
#pragma once

#include <string>
#include <vector>

#include "platform/topology/topology.h"
#include "sim/study/why/point.h"
#include "sw/workloads/params.h"

namespace kb::why {

struct Remedy {
  std::string text;  // "tile_n 128 -> 256"
  Point point;       // without pins
};

std::vector<Remedy> remedies_of(const sw::Params& params, const topology::LoadedTopology& machine);

}  // namespace kb::why
