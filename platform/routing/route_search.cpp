#include "platform/routing/route_search.h"

#include <algorithm>

#include <fmt/format.h>

#include "platform/base/error.h"

namespace kb::routing {
namespace {

constexpr std::uint32_t inward(std::uint32_t door) { return door * 2; }
constexpr std::uint32_t outward(std::uint32_t door) { return door * 2 + 1; }

bool later(const std::pair<Cost, std::uint32_t>& a, const std::pair<Cost, std::uint32_t>& b) {
  return b.first < a.first;
}

}  // namespace

RouteSearch::RouteSearch(const topology::Graph& graph, const FabricMap& map)
    : graph_(graph), map_(map), togo_(map.doors.size() * 2), epoch_of_(map.doors.size() * 2, 0) {}

std::optional<FoundPath> RouteSearch::find(const SearchRequest& request) {
  request_ = request;
  src_ = attachments(request.src, true);
  dst_ = attachments(request.dst, false);
  std::vector<Ban> bans;
  return find_simple(bans, std::nullopt);
}

// The search itself does not notice when a route uses a port in both directions, with a loop in between. Every route
// without such a loop leaves at least one of the two directions unused, so the best of the two restricted problems is
// the answer. Without a repeated port nothing else repeats: a repeated cell node could be short-cut.
std::optional<FoundPath> RouteSearch::find_simple(std::vector<Ban>& bans, const std::optional<FoundPath>& to_beat) {
  std::optional<FoundPath> found = find_relaxed(bans);
  if (!found || (to_beat && !better(*found, *to_beat))) return to_beat;
  const std::optional<std::uint32_t> port = repeated_port(*found);
  if (!port) return found;
  std::optional<FoundPath> best = to_beat;
  for (bool is_outward : {false, true}) {
    bans.push_back({*port, is_outward});
    best = find_simple(bans, best);
    bans.pop_back();
  }
  return best;
}

std::optional<FoundPath> RouteSearch::find_relaxed(const std::vector<Ban>& bans) {
  start();
  Cost best = source_cost();
  while (!heap_.empty() && !request_.same_cube) {
    const auto [cost, state] = heap_.front();
    if (!(cost < best)) break;
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
    if (togo_[state] < cost) continue;
    const std::uint32_t door = state / 2;
    if (state == inward(door)) {
      relax_crossings(door, cost, bans);
      continue;
    }
    relax_transits(door, cost);
    const Door& at = map_.doors[door];
    for (const Attachment& from : src_) {
      if (from.place.cell != at.cell) continue;
      const Cost total = from.cost + map_.cells[at.cell].shape->to(at.local)[from.place.local] +
                         Cost::step(at.outward_um, 1) + cost;
      if (total < best) best = total;
    }
  }
  if (!best.reachable()) return std::nullopt;
  return FoundPath{best, walk(best, bans)};
}

bool RouteSearch::better(const FoundPath& a, const FoundPath& b) const {
  if (!(a.cost == b.cost)) return a.cost < b.cost;
  const std::size_t shorter = std::min(a.nodes.size(), b.nodes.size());
  const auto [at_a, at_b] = std::mismatch(a.nodes.begin(), a.nodes.begin() + static_cast<std::ptrdiff_t>(shorter),
                                          b.nodes.begin());
  if (at_a == a.nodes.begin() + static_cast<std::ptrdiff_t>(shorter)) return false;
  const NodeId before = *std::prev(at_a);
  return step_key(before, *at_a) < step_key(before, *at_b);
}

std::optional<std::uint32_t> RouteSearch::repeated_port(const FoundPath& path) const {
  std::vector<NodeId> sorted = path.nodes;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] != sorted[i - 1]) continue;
    if (const auto port = map_.port_of(sorted[i])) return port;
  }
  return std::nullopt;
}

std::vector<RouteSearch::Attachment> RouteSearch::attachments(NodeId end, bool is_source) const {
  if (const auto place = map_.place(end)) return {{*place, end, Cost()}};
  std::vector<Attachment> found;
  const auto [begin, stop] = is_source ? graph_.out_edges(end) : graph_.in_edges(end);
  for (const EdgeId* id = begin; id != stop; ++id) {
    const topology::Edge& edge = graph_.edge(*id);
    const NodeId other = is_source ? edge.dst : edge.src;
    const auto place = map_.place(other);
    if (!place || !may_use(request_.purpose, request_.same_cube, edge.kind)) continue;
    found.push_back({*place, other, Cost::step(edge_weight_um(edge), 1)});
  }
  return found;
}

Cost RouteSearch::direct_cost() const {
  const std::optional<EdgeId> id = graph_.find_edge(request_.src, request_.dst);
  if (!id || !may_use(request_.purpose, request_.same_cube, graph_.edge(*id).kind)) return Cost::none();
  return Cost::step(edge_weight_um(graph_.edge(*id)), 1);
}

// Labels of the doors into the destination's cell.
void RouteSearch::start() {
  heap_.clear();
  ++epoch_;
  if (request_.same_cube) return;
  for (const Attachment& to : dst_) {
    const Cell& cell = map_.cells[to.place.cell];
    const std::vector<Cost>& costs = cell.shape->to(to.place.local);
    for (std::uint32_t door : cell.doors) {
      const Door& at = map_.doors[door];
      if (!at.opens_inward() || !in_scope(at)) continue;
      relax(inward(door), Cost::step(at.inward_um, 1) + costs[at.local] + to.cost);
    }
  }
}

// Least cost of a route that passes no door.
Cost RouteSearch::source_cost() const {
  Cost best = direct_cost();
  for (const Attachment& from : src_) {
    for (const Attachment& to : dst_) {
      if (from.place.cell != to.place.cell) continue;
      const Cost inside = map_.cells[to.place.cell].shape->to(to.place.local)[from.place.local];
      const Cost total = from.cost + inside + to.cost;
      if (total < best) best = total;
    }
  }
  return best;
}

void RouteSearch::relax(std::uint32_t state, Cost cost) {
  if (!cost.reachable()) return;
  if (epoch_of_[state] == epoch_ && !(cost < togo_[state])) return;
  epoch_of_[state] = epoch_;
  togo_[state] = cost;
  heap_.emplace_back(cost, state);
  std::push_heap(heap_.begin(), heap_.end(), later);
}

bool RouteSearch::in_scope(const Door& door) const {
  return !request_.two_sips_only || door.sip == graph_.node(request_.src).sip ||
         door.sip == graph_.node(request_.dst).sip;
}

// Connection -> endpoint -> peer endpoint -> connection.
Cost RouteSearch::crossing(const Door& from, const Port::Peer& peer, const Door& to) const {
  return Cost::step(from.to_endpoint_um + peer.um + to.from_endpoint_um, 3, from.index != to.index);
}

bool RouteSearch::banned(const std::vector<Ban>& bans, std::uint32_t from_port, std::uint32_t to_port) const {
  return std::any_of(bans.begin(), bans.end(),
                     [&](const Ban& ban) { return ban.port == (ban.outward ? from_port : to_port); });
}

void RouteSearch::relax_crossings(std::uint32_t door, Cost cost, const std::vector<Ban>& bans) {
  const Door& to = map_.doors[door];
  for (const Port::Peer& peer : map_.ports[to.port].from) {
    if (banned(bans, peer.port, to.port)) continue;
    for (std::uint32_t other : map_.ports[peer.port].doors) {
      const Door& from = map_.doors[other];
      if (!from.opens_outward() || !in_scope(from)) continue;
      relax(outward(other), crossing(from, peer, to) + cost);
    }
  }
}

// Through a cell, in at one port and out at another.
void RouteSearch::relax_transits(std::uint32_t door, Cost cost) {
  const Door& to = map_.doors[door];
  const Cell& cell = map_.cells[to.cell];
  const std::vector<Cost>& costs = cell.shape->to(to.local);
  const Cost out = Cost::step(to.outward_um, 1) + cost;
  for (std::uint32_t other : cell.doors) {
    const Door& from = map_.doors[other];
    if (from.port == to.port || !from.opens_inward() || !in_scope(from)) continue;
    relax(inward(other), Cost::step(from.inward_um, 1, from.index != to.index) + costs[from.local] + out);
  }
}

Cost RouteSearch::togo(std::uint32_t door, bool is_outward) const {
  const std::uint32_t state = is_outward ? outward(door) : inward(door);
  return epoch_of_[state] == epoch_ ? togo_[state] : Cost::none();
}

}  // namespace kb::routing
