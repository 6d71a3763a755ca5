// The topology schema: which keys exist, their types, bounds and defaults (T-13 .. T-28).
#pragma once

#include "platform/topology/machine_spec.h"
#include "platform/topology/spec_reader.h"

namespace kb::topology {

// Reads all of the document but the list of replacements; problems are left in the reader's context.
MachineSpec read_machine(MapReader& top);
// The `cube:` section.
void read_cube(MapReader& cube, MachineSpec& spec);
// The rules that tie several keys to each other (T-12, T-14, T-22, T-26, P-48).
void check_machine(const MachineSpec& spec, ReadContext& context);

const std::vector<std::string>& side_names();            // in the order of Side
const std::vector<std::string>& corner_names();          // in the order of Corner
const std::vector<std::string>& routing_metric_names();  // in the order of RoutingMetric
const std::vector<std::string>& view_names();            // what can be drawn (T-58)

}  // namespace kb::topology
