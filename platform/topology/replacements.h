// Other implementations and parameters for single nodes of a compiled machine (T-28): the top-level list
//   replace: [{nodes: "sip0.cube0.r*", impl: custom.priority_router, attrs: {levels: 2}}]
#pragma once

#include <string>
#include <vector>

#include "platform/topology/graph.h"
#include "platform/topology/spec_reader.h"

namespace kb::topology {

struct Replacement {
  MapReader entry;
  std::string nodes;  // pattern of node ids
};

std::vector<Replacement> read_replacements(MapReader& top);

// In the order of the list; a later entry changes what an earlier one has left. Problems are left in the context: a
// pattern without nodes or with nodes of several kinds, an unknown implementation or parameter, a parameter that
// concerns the whole machine.
void apply_replacements(std::vector<Replacement>& replacements, Graph& graph);

}  // namespace kb::topology
