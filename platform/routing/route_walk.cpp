// The second half of RouteSearch: selects the lexicographically first route, node by node, among those of equal cost.
#include <algorithm>
#include <tuple>

#include "platform/base/error.h"
#include "platform/routing/route_search.h"

namespace kb::routing {

std::pair<bool, std::uint32_t> RouteSearch::step_key(NodeId from, NodeId to) const {
  const std::optional<CellPlace> place = map_.place(from);
  bool horizontal = false;
  if (place) {
    const Cell& cell = map_.cells[place->cell];
    for (const CellShape::Link& link : cell.shape->links_from(place->local)) {
      if (cell.nodes[link.to] == to) horizontal = link.horizontal;
    }
  }
  return {!horizontal, to.value};
}

std::vector<RouteSearch::Exit> RouteSearch::exits_of(std::uint32_t cell_index, std::uint32_t entry_link) const {
  const Cell& cell = map_.cells[cell_index];
  std::vector<Exit> exits;
  for (const Attachment& to : dst_) {
    if (to.place.cell == cell_index) {
      exits.push_back({request_.dst, kNoLink, to.place.local, to.cost, &cell.shape->to(to.place.local)});
    }
  }
  if (request_.same_cube) return exits;
  const PortLink* entry = entry_link == kNoLink ? nullptr : &map_.port_links[entry_link];
  for (std::uint32_t link : cell.links) {
    const PortLink& at = map_.port_links[link];
    const Cost rest = togo_[outward(link)];
    if (!rest.reachable() || (entry != nullptr && entry->port == at.port)) continue;
    const bool change = entry != nullptr && entry->index != at.index;
    exits.push_back(
        {at.connection, link, at.local, Cost::step(at.outward_weight, 1, change) + rest, &cell.shape->to(at.local)});
  }
  return exits;
}

// Appends the nodes after `at` up to and including the first node after the cell, and returns the exit of the cell.
RouteSearch::Exit RouteSearch::walk_cell(CellPlace at, std::uint32_t entry_link, Cost remaining,
                                         std::vector<NodeId>& nodes) const {
  const Cell& cell = map_.cells[at.cell];
  std::vector<Exit> exits = exits_of(at.cell, entry_link);
  const auto keep_best = [&] {
    const auto misses = [&](const Exit& exit) { return !((*exit.to_target)[at.local] + exit.tail == remaining); };
    exits.erase(std::remove_if(exits.begin(), exits.end(), misses), exits.end());
    if (exits.empty()) throw Error::model("a route's cost cannot be walked");
  };
  keep_best();
  for (;;) {
    std::pair<bool, std::uint32_t> best_key{true, NodeId::kNone};
    const Exit* leave = nullptr;
    const CellShape::Link* go = nullptr;
    for (const Exit& exit : exits) {
      const std::pair<bool, std::uint32_t> key{true, exit.node.value};
      if (exit.target != at.local || !(key < best_key)) continue;
      best_key = key;
      leave = &exit;
    }
    for (const CellShape::Link& link : cell.shape->links_from(at.local)) {
      const std::pair<bool, std::uint32_t> key{!link.horizontal, cell.nodes[link.to].value};
      const Cost step = Cost::step(link.weight, 1);
      const auto leads = [&](const Exit& e) { return step + (*e.to_target)[link.to] + e.tail == remaining; };
      if (!(key < best_key) || std::none_of(exits.begin(), exits.end(), leads)) continue;
      best_key = key;
      go = &link;
    }
    if (go == nullptr) {
      if (leave == nullptr) throw Error::model("a route's cost cannot be walked");
      if (leave->node != nodes.back()) nodes.push_back(leave->node);
      return *leave;
    }
    at.local = go->to;
    remaining = remaining - Cost::step(go->weight, 1);
    nodes.push_back(cell.nodes[go->to]);
    keep_best();
  }
}

// Walks from the connection of `link` to the cell of the peer port; returns the link through which it enters.
std::uint32_t RouteSearch::cross(std::uint32_t link, const std::vector<Ban>& bans, std::vector<NodeId>& nodes) const {
  const PortLink& from = map_.port_links[link];
  const Cost remaining = togo_[outward(link)];
  using Key = std::tuple<NodeId, NodeId, NodeId>;
  std::optional<Key> best;
  std::uint32_t entry = kNoLink;
  for (const Port::Peer& peer : map_.ports[from.port].to) {
    if (banned(bans, from.port, peer.port)) continue;
    for (std::uint32_t other : map_.ports[peer.port].links) {
      const PortLink& to = map_.port_links[other];
      if (!(PortGraph::crossing(from, peer, to) + togo_[inward(other)] == remaining)) continue;
      const Key key{map_.ports[peer.port].endpoint, to.connection, to.inner};
      if (best && !(key < *best)) continue;
      best = key;
      entry = other;
    }
  }
  if (!best) throw Error::model("a route's cost cannot be walked");
  nodes.push_back(map_.ports[from.port].endpoint);
  nodes.push_back(std::get<0>(*best));
  nodes.push_back(std::get<1>(*best));
  nodes.push_back(std::get<2>(*best));
  return entry;
}

std::vector<NodeId> RouteSearch::walk(Cost best, const std::vector<Ban>& bans) const {
  std::vector<NodeId> nodes{request_.src};
  // The first step from a block: to a cell node, or directly to the destination.
  std::optional<NodeId> first;
  CellPlace at;
  Cost remaining = best;
  if (direct_cost() == best) first = request_.dst;
  for (const Attachment& from : src_) {
    const bool leads = [&] {
      for (const Exit& exit : exits_of(from.place.cell, kNoLink)) {
        if (from.cost + (*exit.to_target)[from.place.local] + exit.tail == best) return true;
      }
      return false;
    }();
    if (!leads || (first && *first < from.node)) continue;
    first = from.node;
    at = from.place;
    remaining = best - from.cost;
  }
  if (!first) throw Error::model("a route's cost cannot be walked");
  if (*first != request_.src) nodes.push_back(*first);
  if (*first == request_.dst) return nodes;
  std::uint32_t entry = kNoLink;
  for (;;) {
    const Exit exit = walk_cell(at, entry, remaining, nodes);
    if (exit.link == kNoLink) return nodes;
    entry = cross(exit.link, bans, nodes);
    const PortLink& link = map_.port_links[entry];
    at = {link.cell, link.local};
    remaining = togo_[inward(entry)] - Cost::step(link.inward_weight, 1);
  }
}

}  // namespace kb::routing
