// Pins: a machine by which routes and the host program are chosen, while another one is simulated.
#pragma once

#include <memory>
#include <string>

#include "platform/topology/topology.h"
#include "sim/result/inputs.h"

namespace kb::sim {

// The machine of an inputs.json. Configuration Error as for its topology file.
topology::LoadedTopology machine_of(const result::MachineText& text, const topology::Implementations& implementations);

// The planning machine of `inputs`, which are of `file`, for `machine`. Configuration Error that names the first
// difference when it has other nodes, links, memories or flits.
std::shared_ptr<const topology::LoadedTopology> planning_machine(const result::Inputs& inputs, const std::string& file,
                                                                 const topology::LoadedTopology& machine,
                                                                 const topology::Implementations& implementations);

// Why the pins do not fit; empty when they do.
std::string misfit_of(const topology::Graph& plan, const topology::Graph& graph);

}  // namespace kb::sim
