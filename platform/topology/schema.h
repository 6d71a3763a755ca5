// The topology schema: keys with types, bounds and defaults (T-13 .. T-28).
#pragma once

#include "platform/topology/machine_spec.h"
#include "platform/topology/spec_reader.h"

namespace kb::topology {

// Keys of the distances between a plug-in's engine and the other blocks of its PE.
struct EngineLinks {
  explicit EngineLinks(NodeKind kind);
  std::string from_scheduler, from_fetch_store, to_fetch_store;
};

// Reads the whole document except the list of replacements; problems are reported to the reader's context.
MachineSpec read_machine(MapReader& top);
// Reads the `cube:` section.
void read_cube(MapReader& cube, MachineSpec& spec);
// Reads the `energy:` section when there is one; after the memories, whose sizes coefficients depend on.
void read_energy(MapReader& top, MachineSpec& spec);
// The coefficients in text; empty when there are none.
std::string energy_text(const MachineSpec& spec);
// Checks the rules over several keys (T-12, T-14, T-22, T-26, P-48).
void check_machine(const MachineSpec& spec, ReadContext& context);

const std::vector<std::string>& side_names();            // in the order of Side
const std::vector<std::string>& corner_names();          // in the order of Corner
const std::vector<std::string>& routing_metric_names();  // in the order of RoutingMetric
const std::vector<std::string>& view_names();            // views that can be drawn (T-58)

}  // namespace kb::topology
