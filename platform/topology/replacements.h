// Other implementations and parameters for single nodes and links of a compiled machine (T-28, T-28b): the list
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
  std::string nodes;  // pattern of node ids
  std::string links;  // or of the ends of links, "FROM -> TO"
};

std::vector<Replacement> read_replacements(MapReader& top);

// In the order of the list; a later entry changes what an earlier one has left. Problems are left in the context: a
// pattern without nodes or links or with nodes of several kinds, an unknown implementation or parameter, a parameter
// that concerns the whole machine. Links inside of PEs are not matched.
void apply_replacements(std::vector<Replacement>& replacements, Graph& graph);

}  // namespace kb::topology
