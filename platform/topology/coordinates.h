// Where the nodes of a machine stand, for what lists them: topology.json and the operation log.
#pragma once

#include <vector>

#include "platform/base/node_coord.h"
#include "platform/topology/graph.h"

namespace kb::topology {

NodeCoord coord_of(const Graph& graph, const Node& node);
NodeEntry entry_of(const Graph& graph, const Node& node);
// Its id without the names of the parts around both when `other` stands in the same chip, else the whole.
std::string name_beside(const Graph& graph, const Node& node, const Node& other);
// By NodeId.
std::vector<NodeEntry> node_entries(const Graph& graph);

}  // namespace kb::topology
