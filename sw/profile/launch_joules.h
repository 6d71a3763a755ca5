// Joules of the cells of a machine's launches.
#pragma once

#include <set>
#include <string>

#include "sw/profile/launch_tables.h"
#include "sw/serving/energy.h"

namespace kb::profile {

// The tables have the cells of those of times.
struct LaunchJoules {
  std::string defaults;  // name of the set of coefficients
  LaunchTables value, low, high;
  serving::Joules static_watts;
  std::set<std::string> not_counted;  // phrases
};

}  // namespace kb::profile
