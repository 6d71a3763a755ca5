#include "platform/topology/coordinates.h"

namespace kb::topology {

namespace {

// Ids are made of the name of a part and what follows it. That of an HBM slice begins with its cube and not with its
// PE.
std::optional<std::string> name_within(const Node& node, const NodeCoord& part) {
  const std::string begin = part_name(part) + ".";
  if (node.id.compare(0, begin.size(), begin) != 0) return std::nullopt;
  return node.id.substr(begin.size());
}

}  // namespace

NodeCoord coord_of(const Graph& graph, const Node& node) {
  return {node.sip, node.chiplet ? graph.spec.io_chiplets[*node.chiplet].id : "", node.cube, node.pe};
}

NodeEntry entry_of(const Graph& graph, const Node& node) {
  NodeEntry entry{node.id, std::string(node_kind_name(node.kind)), node.id, coord_of(graph, node)};
  if (node.sip.valid()) entry.label = name_within(node, entry.coord).value_or(entry.kind);
  return entry;
}

std::string short_name(const Graph& graph, const Node& node, const Node& other) {
  const NodeCoord chip = chip_name(coord_of(graph, other));
  const bool together = chip.sip.valid() && chip_name(coord_of(graph, node)) == chip;
  return together ? name_within(node, chip).value_or(node.id) : node.id;
}

std::vector<NodeEntry> node_entries(const Graph& graph) {
  std::vector<NodeEntry> entries;
  entries.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes) entries.push_back(entry_of(graph, node));
  return entries;
}

}  // namespace kb::topology
