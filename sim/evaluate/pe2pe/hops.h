// Pairs of PEs that are measured (E-62).
#pragma once

#include <string>
#include <vector>

#include "platform/base/ids.h"
#include "platform/topology/topology.h"

namespace kb::evaluate {

enum class Distance { cube, cubes, sips };  // inside a cube, between cubes, between SIPs

struct Hop {
  std::string id;    // "h1"
  std::string text;  // "in a cube, beside"
  Distance distance = Distance::cube;
  PeCoord from, to;
};

// Those that the machine has: nearest PEs of cube 0 in one row and in one column, then PE 0 of cube 0 and of the cube
// to the east, to the south, and of the next SIP.
std::vector<Hop> pe_hops(const topology::LoadedTopology& machine);

}  // namespace kb::evaluate
