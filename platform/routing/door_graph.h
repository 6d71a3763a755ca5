// The fabric reduced to its doors: what it costs to get from one door to the next, across a port or through a cell.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "platform/routing/cost.h"
#include "platform/routing/fabric_map.h"

namespace kb::routing {

// A door passed inward (from the endpoint into the cell) or outward. State = door * 2 + (1 when outward).
using DoorState = std::uint32_t;
constexpr DoorState inward(std::uint32_t door) {
  return door * 2;
}
constexpr DoorState outward(std::uint32_t door) {
  return door * 2 + 1;
}

class DoorGraph {
 public:
  // Being at the connection of `from` and getting to the connection of the state that the arc leads into.
  struct Arc {
    DoorState from = 0;
    Cost cost;
  };

  explicit DoorGraph(const FabricMap& map);

  std::pair<const Arc*, const Arc*> arcs_into(DoorState state) const {
    return {arcs_.data() + rows_[state], arcs_.data() + rows_[state + 1]};
  }
  std::size_t states() const { return rows_.size() - 1; }

  // Connection -> endpoint -> peer endpoint -> connection. A change of the connection index costs.
  static Cost crossing(const Door& from, const Port::Peer& peer, const Door& to) {
    return Cost::step(from.to_endpoint_weight + peer.weight + to.from_endpoint_weight, 3, from.index != to.index);
  }

 private:
  void add_crossings(const FabricMap& map, const Door& to);
  void add_transits(const FabricMap& map, const Door& to);

  std::vector<std::uint32_t> rows_;
  std::vector<Arc> arcs_;
};

}  // namespace kb::routing
