#include "platform/routing/door_graph.h"

namespace kb::routing {

DoorGraph::DoorGraph(const FabricMap& map) {
  rows_.push_back(0);
  for (const Door& door : map.doors) {
    if (door.opens_inward()) add_crossings(map, door);
    rows_.push_back(static_cast<std::uint32_t>(arcs_.size()));
    if (door.opens_outward()) add_transits(map, door);
    rows_.push_back(static_cast<std::uint32_t>(arcs_.size()));
  }
}

void DoorGraph::add_crossings(const FabricMap& map, const Door& to) {
  for (const Port::Peer& peer : map.ports[to.port].from) {
    for (std::uint32_t other : map.ports[peer.port].doors) {
      const Door& from = map.doors[other];
      if (from.opens_outward()) arcs_.push_back({outward(other), crossing(from, peer, to)});
    }
  }
}

// In at one port of a cell and out at another.
void DoorGraph::add_transits(const FabricMap& map, const Door& to) {
  const Cell& cell = map.cells[to.cell];
  const std::vector<Cost>& costs = cell.shape->to(to.local);
  for (std::uint32_t other : cell.doors) {
    const Door& from = map.doors[other];
    if (from.port == to.port || !from.opens_inward() || !costs[from.local].reachable()) continue;
    const Cost ends = Cost::step(from.inward_weight + to.outward_weight, 2, from.index != to.index);
    arcs_.push_back({inward(other), costs[from.local] + ends});
  }
}

}  // namespace kb::routing
