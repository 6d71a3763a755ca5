// The machines on which the launches of a step are simulated.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/topology/topology.h"

namespace kb::step {

// Loads the machine with changed keys, given as for topology::load, on top of the user's.
using LoadMachine =
    std::function<topology::LoadedTopology(const std::vector<std::pair<std::string, std::string>>& changes)>;

struct StepMachines {
  topology::LoadedTopology one;  // a single SIP: launches that stay in one
  topology::LoadedTopology all;  // with as many SIPs as share the model: sums
};

// Configuration Error when `ranks` SIPs cannot be had: SIPs of a grid keep their number.
StepMachines step_machines(const LoadMachine& load, std::int64_t ranks);

// Why a launch on this machine may take another time when it is repeated, although all before it has ended: blocks with
// a history or a clock. No value: there is nothing of the kind.
std::optional<std::string> hidden_state(const topology::LoadedTopology& machine);

}  // namespace kb::step
