#include "platform/routing/port_graph.h"

namespace kb::routing {

PortGraph::PortGraph(const FabricMap& map) {
  rows_.push_back(0);
  for (const PortLink& link : map.port_links) {
    if (link.opens_inward()) add_crossings(map, link);
    rows_.push_back(static_cast<std::uint32_t>(arcs_.size()));
    if (link.opens_outward()) add_transits(map, link);
    rows_.push_back(static_cast<std::uint32_t>(arcs_.size()));
  }
}

void PortGraph::add_crossings(const FabricMap& map, const PortLink& to) {
  for (const Port::Peer& peer : map.ports[to.port].from) {
    for (std::uint32_t other : map.ports[peer.port].links) {
      const PortLink& from = map.port_links[other];
      if (from.opens_outward()) arcs_.push_back({outward(other), crossing(from, peer, to)});
    }
  }
}

// Adds arcs from one port of a cell to another.
void PortGraph::add_transits(const FabricMap& map, const PortLink& to) {
  const Cell& cell = map.cells[to.cell];
  const std::vector<Cost>& costs = cell.shape->to(to.local);
  for (std::uint32_t other : cell.links) {
    const PortLink& from = map.port_links[other];
    if (from.port == to.port || !from.opens_inward() || !costs[from.local].reachable()) continue;
    const Cost ends = Cost::step(from.inward_weight + to.outward_weight, 2, from.index != to.index);
    arcs_.push_back({inward(other), costs[from.local] + ends});
  }
}

}  // namespace kb::routing
