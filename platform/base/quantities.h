// Physical values of a configuration, with the unit in the type. Blocks turn them into femtoseconds once, when they are
// constructed.
#pragma once

#include <cstdint>

#include "platform/base/units.h"

namespace kb {

struct Nanoseconds {
  double ns = 0.0;
  TimeFs time() const { return ns_to_fs(ns); }
};

// Gigabytes per second, which is bytes per nanosecond. 0 = no limit, where that is allowed.
struct Bandwidth {
  double gbs = 0.0;
  TimeFs occupancy(std::uint64_t bytes) const { return occupancy_fs(bytes, gbs); }
};

struct Gigahertz {
  double ghz = 0.0;
};

// Binary megabytes, as in keys that end in _mb.
struct Megabytes {
  double mb = 0.0;
};

}  // namespace kb
