#include "platform/routing/route_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"

namespace kb::routing {
namespace {

bool later(const std::pair<Cost, LinkState>& a, const std::pair<Cost, LinkState>& b) {
  return b.first < a.first;
}

}  // namespace

RouteSearch::RouteSearch(const topology::Graph& graph, const FabricMap& map)
    : graph_(graph), map_(map), port_graph_(map), togo_(port_graph_.states(), Cost::none()) {}

std::optional<FoundPath> RouteSearch::find(const SearchRequest& request) {
  request_ = request;
  src_ = attachments(request.src, true);
  dst_ = attachments(request.dst, false);
  std::vector<Ban> bans;
  return find_simple(bans, std::nullopt);
}

// The search itself does not detect a path that enters a cube twice or uses a port in both directions. Every valid path
// satisfies at least one of the bans that exclude this, so that the best result of the restricted searches is the
// answer. Without a repeated cube or port, no other node repeats, because a repeated cell node would allow a shortcut.
std::optional<FoundPath> RouteSearch::find_simple(std::vector<Ban>& bans, const std::optional<FoundPath>& to_beat) {
  std::optional<FoundPath> found = find_relaxed(bans);
  if (!found || (to_beat && !better(*found, *to_beat))) return to_beat;
  const std::vector<Ban> choices = remedies(*found);
  if (choices.empty()) return found;
  std::optional<FoundPath> best = to_beat;
  for (const Ban& ban : choices) {
    bans.push_back(ban);
    best = find_simple(bans, best);
    bans.pop_back();
  }
  return best;
}

std::optional<FoundPath> RouteSearch::find_relaxed(const std::vector<Ban>& bans) {
  Cost best = source_cost();
  if (!request_.same_cube) best = bans.empty() ? label_with_cache(best) : label(best, false, bans);
  if (!best.reachable()) return std::nullopt;
  return FoundPath{best, walk(best, bans)};
}

// Dijkstra from the destination. It stops at the cost of the best route or, when `complete`, at the last link.
Cost RouteSearch::label(Cost best, bool complete, const std::vector<Ban>& bans) {
  clear_labels();
  label_destination();
  while (!heap_.empty()) {
    const auto [cost, state] = heap_.front();
    if (!complete && !(cost < best)) break;
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
    if (togo_[state] < cost) continue;
    relax_into(state, cost, complete ? Cost::none() : best, bans);
    if (state != outward(state / 2)) continue;
    const Cost total = cost_through(state / 2, cost);
    if (total < best) best = total;
  }
  return best;
}

Cost RouteSearch::label_with_cache(Cost best) {
  LabelCache::Key key{request_.dst, request_.purpose, SipId()};
  if (request_.two_sips_only) key.other_sip = graph_.node(request_.src).sip;
  bool worth_keeping = false;
  const LabelCache::Labels* kept = cache_.find(key, worth_keeping);
  if (kept == nullptr) {
    best = label(best, worth_keeping, {});
    if (!worth_keeping) return best;
    LabelCache::Labels labels;
    for (LinkState state : labelled_) labels.emplace_back(state, togo_[state]);
    cache_.keep(key, std::move(labels));
    return best;
  }
  clear_labels();
  for (const auto& [state, cost] : *kept) {
    togo_[state] = cost;
    labelled_.push_back(state);
  }
  for (const Attachment& from : src_) {
    for (std::uint32_t link : map_.cells[from.place.cell].links) {
      const Cost total = cost_through(link, togo_[outward(link)]);
      if (total < best) best = total;
    }
  }
  return best;
}

// Cost from the source out of its cell through `link`, whose connection has the remaining cost `rest`.
Cost RouteSearch::cost_through(std::uint32_t link, Cost rest) const {
  Cost best = Cost::none();
  const PortLink& at = map_.port_links[link];
  if (!rest.reachable() || !at.opens_outward()) return best;
  for (const Attachment& from : src_) {
    if (from.place.cell != at.cell) continue;
    const Cost inside = map_.cells[at.cell].shape->to(at.local)[from.place.local];
    const Cost total = from.cost + inside + Cost::step(at.outward_weight, 1) + rest;
    if (total < best) best = total;
  }
  return best;
}

bool RouteSearch::better(const FoundPath& a, const FoundPath& b) const {
  if (!(a.cost == b.cost)) return a.cost < b.cost;
  const std::size_t shorter = std::min(a.nodes.size(), b.nodes.size());
  const auto [at_a, at_b] =
      std::mismatch(a.nodes.begin(), a.nodes.begin() + static_cast<std::ptrdiff_t>(shorter), b.nodes.begin());
  if (at_a == a.nodes.begin() + static_cast<std::ptrdiff_t>(shorter)) return false;
  const NodeId before = *std::prev(at_a);
  return step_key(before, *at_a) < step_key(before, *at_b);
}

std::vector<RouteSearch::Ban> RouteSearch::remedies(const FoundPath& path) const {
  // The distance metric keeps the published routes, which pass some cubes twice.
  std::vector<Ban> bans;
  if (graph_.spec.routing_metric == topology::RoutingMetric::latency) bans = cube_remedies(path);
  return bans.empty() ? port_remedies(path) : bans;
}

// A path may enter a cube through at most one port, and must not enter the cube in which it begins.
std::vector<RouteSearch::Ban> RouteSearch::cube_remedies(const FoundPath& path) const {
  struct Visit {
    SipId sip;
    CubeId cube;
    std::optional<std::uint32_t> port;
  };
  std::vector<Visit> visits;
  for (std::size_t i = 0; i < path.nodes.size(); ++i) {
    const topology::Node& node = graph_.node(path.nodes[i]);
    if (i > 0) {
      const topology::Node& before = graph_.node(path.nodes[i - 1]);
      if (before.sip == node.sip && before.cube == node.cube) continue;
    }
    if (!node.cube.valid()) continue;
    const std::optional<std::uint32_t> port = map_.port_of(path.nodes[i]);
    for (const Visit& visit : visits) {
      if (visit.sip != node.sip || visit.cube != node.cube || !port) continue;
      std::vector<Ban> bans{{*port, false}};
      if (visit.port) bans.push_back({*visit.port, false});
      return bans;
    }
    visits.push_back({node.sip, node.cube, port});
  }
  return {};
}

std::vector<RouteSearch::Ban> RouteSearch::port_remedies(const FoundPath& path) const {
  std::vector<NodeId> sorted = path.nodes;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] != sorted[i - 1]) continue;
    if (const auto port = map_.port_of(sorted[i])) return {{*port, false}, {*port, true}};
  }
  return {};
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
    found.push_back({*place, other, Cost::step(edge_weight(graph_, edge), 1)});
  }
  return found;
}

Cost RouteSearch::direct_cost() const {
  const std::optional<EdgeId> id = graph_.find_edge(request_.src, request_.dst);
  if (!id || !may_use(request_.purpose, request_.same_cube, graph_.edge(*id).kind)) return Cost::none();
  return Cost::step(edge_weight(graph_, graph_.edge(*id)), 1);
}

void RouteSearch::clear_labels() {
  heap_.clear();
  for (LinkState state : labelled_) togo_[state] = Cost::none();
  labelled_.clear();
}

// Labels of the links into the destination's cell.
void RouteSearch::label_destination() {
  for (const Attachment& to : dst_) {
    const Cell& cell = map_.cells[to.place.cell];
    const std::vector<Cost>& costs = cell.shape->to(to.place.local);
    for (std::uint32_t link : cell.links) {
      const PortLink& at = map_.port_links[link];
      if (!at.opens_inward() || !in_scope(at)) continue;
      relax(inward(link), Cost::step(at.inward_weight, 1) + costs[at.local] + to.cost);
    }
  }
}

// Lowest cost of a route without links.
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

void RouteSearch::relax(LinkState state, Cost cost) {
  if (!(cost < togo_[state]) || !cost.reachable()) return;
  if (!togo_[state].reachable()) labelled_.push_back(state);
  togo_[state] = cost;
  heap_.emplace_back(cost, state);
  std::push_heap(heap_.begin(), heap_.end(), later);
}

// A label that is not below the best route's cost cannot be on an equal or better route, because reaching it also
// costs.
void RouteSearch::relax_into(LinkState state, Cost cost, Cost best, const std::vector<Ban>& bans) {
  const std::uint32_t to_port = map_.port_links[state / 2].port;
  const bool is_crossing = state == inward(state / 2);
  const auto [begin, end] = port_graph_.arcs_into(state);
  for (const PortGraph::Arc* arc = begin; arc != end; ++arc) {
    const Cost longer = cost + arc->cost;
    if (!(longer < togo_[arc->from]) || !(longer < best)) continue;
    const PortLink& from = map_.port_links[arc->from / 2];
    if (!in_scope(from) || (is_crossing && !bans.empty() && banned(bans, from.port, to_port))) continue;
    relax(arc->from, longer);
  }
}

bool RouteSearch::in_scope(const PortLink& link) const {
  return !request_.two_sips_only || link.sip == graph_.node(request_.src).sip ||
         link.sip == graph_.node(request_.dst).sip;
}

bool RouteSearch::banned(const std::vector<Ban>& bans, std::uint32_t from_port, std::uint32_t to_port) {
  return std::any_of(bans.begin(), bans.end(),
                     [&](const Ban& ban) { return ban.port == (ban.outward ? from_port : to_port); });
}

}  // namespace kb::routing
