// Replacement of implementations and parameters of single nodes and links of a compiled machine (T-28, T-28b), by the
// list
//   replace:
//     - { nodes: "sip0.cube0.r*", impl: custom.priority_router, attrs: { levels: 2 } }
//     - { links: "sip1.io0.pcie_ep -> fabric.switch*", attrs: { bw_gbs: 32 } }
#pragma once

#include <string>
#include <vector>

#include "platform/topology/graph.h"
#include "platform/topology/spec_reader.h"

namespace kb::topology {

struct Replacement {
  MapReader entry;
  std::string nodes;  // pattern of node ids; or
  std::string links;  // pattern of link ends, "FROM -> TO"
};

std::vector<Replacement> read_replacements(MapReader& top);

// Applies the entries in order; a later entry may change the result of an earlier one. Reports to the context: a
// pattern that matches nothing or nodes of several kinds, an unknown implementation or parameter, a machine-wide
// parameter. Patterns do not match links inside PEs.
void apply_replacements(std::vector<Replacement>& replacements, Graph& graph);

}  // namespace kb::topology
