#include "platform/routing/path_router.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"

namespace kb::routing {
namespace {

using topology::Graph;
using topology::Node;
using topology::NodeKind;

// True when the only node that all SIPs share is one switch: a route that enters a third SIP could then leave it only
// through the switch, which it has already passed.
bool one_switch_joins_all(const Graph& graph) {
  const auto is_switch = [](const Node& node) { return node.kind == NodeKind::switch_; };
  if (std::count_if(graph.nodes.begin(), graph.nodes.end(), is_switch) > 1) return false;
  return std::none_of(graph.edges.begin(), graph.edges.end(), [&](const topology::Edge& edge) {
    const SipId a = graph.node(edge.src).sip;
    const SipId b = graph.node(edge.dst).sip;
    return a.valid() && b.valid() && a != b;
  });
}

std::uint64_t key_of(RoutePurpose purpose, NodeId src, NodeId dst) {
  static_assert(static_cast<int>(RoutePurpose::channel) < 8);
  return (std::uint64_t{src.value} << 34) | (std::uint64_t{dst.value} << 3) | static_cast<std::uint64_t>(purpose);
}

bool is_port_node(const Node& node) {
  return node.kind == NodeKind::ucie || node.kind == NodeKind::ucie_conn;
}

}  // namespace

PathRouter::PathRouter(const Graph& graph) : graph_(graph), third_sips_are_dead_ends_(one_switch_joins_all(graph)) {}

PathRouter::Fabric& PathRouter::fabric(bool between_sips) {
  std::unique_ptr<Fabric>& slot = between_sips ? between_sips_ : within_sip_;
  if (slot == nullptr) slot = std::make_unique<Fabric>(graph_, between_sips, shapes_);
  return *slot;
}

const Route& PathRouter::find(RoutePurpose purpose, NodeId src, NodeId dst) {
  if (src.value >= graph_.nodes.size() || dst.value >= graph_.nodes.size()) {
    throw Error::model("a route is asked for between nodes that do not exist");
  }
  std::unique_ptr<const Route>& slot = routes_[key_of(purpose, src, dst)];
  if (slot == nullptr) {
    try {
      slot = std::make_unique<const Route>(compute(purpose, src, dst));
    } catch (...) {
      routes_.erase(key_of(purpose, src, dst));
      throw;
    }
  }
  return *slot;
}

Route PathRouter::compute(RoutePurpose purpose, NodeId src, NodeId dst) {
  const Node& from = graph_.node(src);
  const Node& to = graph_.node(dst);
  if (is_port_node(from) || is_port_node(to)) {
    throw Error::model(fmt::format("a route from {} to {} ends at a UCIe node", from.id, to.id));
  }
  if (purpose == RoutePurpose::channel) return through_channel(src, dst);
  if (src == dst) return with_edges({Cost(), {src}});
  SearchRequest request;
  request.src = src;
  request.dst = dst;
  request.purpose = purpose;
  request.same_cube = from.cube.valid() && from.cube == to.cube && from.sip == to.sip;
  const bool between_sips = from.sip.valid() && to.sip.valid() && from.sip != to.sip;
  request.two_sips_only = between_sips && third_sips_are_dead_ends_;
  std::optional<FoundPath> found = fabric(between_sips).search.find(request);
  if (!found) {
    throw Error::configuration(
        fmt::format("no path from {} to {}: the topology has no links that join them", from.id, to.id));
  }
  return with_edges(*std::move(found));
}

Route PathRouter::through_channel(NodeId pe_dma, NodeId channel_router) const {
  FoundPath path{Cost(), {pe_dma, channel_router}};
  const auto [begin, end] = graph_.out_edges(channel_router);
  for (const EdgeId* id = begin; id != end; ++id) {
    if (graph_.edge(*id).kind == topology::EdgeKind::channel_to_hbm) path.nodes.push_back(graph_.edge(*id).dst);
  }
  const std::optional<EdgeId> lane = graph_.find_edge(pe_dma, channel_router);
  if (path.nodes.size() != 3 || !lane || graph_.edge(*lane).kind != topology::EdgeKind::pe_to_channel) {
    throw Error::model(
        fmt::format("{} has no HBM channel behind {}", graph_.node(pe_dma).id, graph_.node(channel_router).id));
  }
  path.cost = Cost::step(edge_weight(graph_, graph_.edge(*lane)), 2);
  return with_edges(std::move(path));
}

Route PathRouter::with_edges(FoundPath path) const {
  Route route;
  route.nodes = std::move(path.nodes);
  route.weight = path.cost.weight;
  for (std::size_t i = 0; i + 1 < route.nodes.size(); ++i) {
    const NodeId a = route.nodes[i];
    const NodeId b = route.nodes[i + 1];
    const std::optional<EdgeId> reverse = graph_.find_edge(b, a);
    if (!reverse) {
      throw Error::configuration(
          fmt::format("the link from {} to {} has no way back: every link that a route uses needs "
                      "both directions",
                      graph_.node(a).id, graph_.node(b).id));
    }
    route.edges.push_back(graph_.find_edge(a, b).value());
    route.reverse_edges.push_back(*reverse);
  }
  return route;
}

}  // namespace kb::routing
