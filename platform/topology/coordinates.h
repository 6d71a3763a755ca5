// Coordinates of the nodes of a machine, for topology.json and the operation log.
#pragma once

#include <vector>

#include "platform/base/node_coord.h"
#include "platform/topology/graph.h"

namespace kb::topology {

NodeCoord coord_of(const Graph& graph, const Node& node);
NodeEntry entry_of(const Graph& graph, const Node& node);
// The id of `node`, shortened by the names of the common parts when `other` is on the same chip.
std::string short_name(const Graph& graph, const Node& node, const Node& other);
// Indexed by NodeId.
std::vector<NodeEntry> node_entries(const Graph& graph);

}  // namespace kb::topology
