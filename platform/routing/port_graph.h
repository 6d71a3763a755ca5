// The fabric reduced to its links: costs between links, across a port or through a cell.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "platform/routing/cost.h"
#include "platform/routing/fabric_map.h"

namespace kb::routing {

// A link traversed inward (from the endpoint into the cell) or outward. State = link * 2 + (1 when outward).
using LinkState = std::uint32_t;
constexpr LinkState inward(std::uint32_t link) {
  return link * 2;
}
constexpr LinkState outward(std::uint32_t link) {
  return link * 2 + 1;
}

class PortGraph {
 public:
  // A step from the connection of `from` to the connection of the state that the arc leads to.
  struct Arc {
    LinkState from = 0;
    Cost cost;
  };

  explicit PortGraph(const FabricMap& map);

  std::pair<const Arc*, const Arc*> arcs_into(LinkState state) const {
    return {arcs_.data() + rows_[state], arcs_.data() + rows_[state + 1]};
  }
  std::size_t states() const { return rows_.size() - 1; }

  // Connection -> endpoint -> peer endpoint -> connection. A change of the connection index has a cost.
  static Cost crossing(const PortLink& from, const Port::Peer& peer, const PortLink& to) {
    return Cost::step(from.to_endpoint_weight + peer.weight + to.from_endpoint_weight, 3, from.index != to.index);
  }

 private:
  void add_crossings(const FabricMap& map, const PortLink& to);
  void add_transits(const FabricMap& map, const PortLink& to);

  std::vector<std::uint32_t> rows_;
  std::vector<Arc> arcs_;
};

}  // namespace kb::routing
