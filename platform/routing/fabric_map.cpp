#include "platform/routing/fabric_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/base/error.h"
#include "platform/routing/edge_classes.h"

namespace kb::routing {
namespace {

using topology::EdgeKind;
using topology::Graph;
using topology::NodeKind;

std::size_t node_count(const Graph& graph) {
  return graph.nodes.size();
}
NodeId node_at(std::size_t i) {
  return NodeId(static_cast<std::uint32_t>(i));
}

// Calls visit(edge) for every edge that leaves `node`.
template <typename Visit>
void for_each_out(const Graph& graph, NodeId node, const Visit& visit) {
  const auto [begin, end] = graph.out_edges(node);
  for (const EdgeId* id = begin; id != end; ++id) visit(graph.edge(*id));
}

bool is_horizontal(const Graph& graph, const topology::Edge& edge) {
  if (edge.kind != EdgeKind::router_mesh) return false;
  const auto& a = graph.node(edge.src).pos_mm;
  const auto& b = graph.node(edge.dst).pos_mm;
  return a && b && a->y == b->y;
}

std::uint32_t connection_index(const topology::Node& node) {
  if (!node.connection) throw Error::model(fmt::format("the UCIe connection {} has no index", node.id));
  return *node.connection;
}

std::int64_t weight_between(const Graph& graph, NodeId from, NodeId to) {
  const std::optional<EdgeId> edge = graph.find_edge(from, to);
  return edge ? edge_weight(graph, graph.edge(*edge)) : kNoEdge;
}

}  // namespace

FabricMap::FabricMap(const Graph& graph, bool between_sips, CellShapePool& shapes)
    : places_(node_count(graph), CellPlace{kNowhere, 0}), port_of_(node_count(graph), kNowhere) {
  find_cells(graph, between_sips, shapes);
  find_ports(graph);
}

std::optional<CellPlace> FabricMap::place(NodeId node) const {
  const CellPlace& place = places_[node.value];
  if (place.cell == kNowhere) return std::nullopt;
  return place;
}

std::optional<std::uint32_t> FabricMap::port_of(NodeId node) const {
  const std::uint32_t port = port_of_[node.value];
  if (port == kNowhere) return std::nullopt;
  return port;
}

void FabricMap::find_cells(const Graph& graph, bool between_sips, CellShapePool& shapes) {
  const auto is_plain = [&](NodeId node) { return is_plain_interior(graph.node(node).kind, between_sips); };
  for (std::size_t start = 0; start < node_count(graph); ++start) {
    if (!is_plain(node_at(start)) || places_[start].cell != kNowhere) continue;
    const auto cell_index = static_cast<std::uint32_t>(cells.size());
    Cell& cell = cells.emplace_back();
    cell.nodes.push_back(node_at(start));
    places_[start].cell = cell_index;
    const auto visit = [&](NodeId next) {
      if (!is_plain(next) || places_[next.value].cell != kNowhere) return;
      places_[next.value].cell = cell_index;
      cell.nodes.push_back(next);
    };
    for (std::size_t i = 0; i < cell.nodes.size(); ++i) {
      const NodeId at = cell.nodes[i];
      for_each_out(graph, at, [&](const topology::Edge& edge) { visit(edge.dst); });
      const auto [begin, end] = graph.in_edges(at);
      for (const EdgeId* id = begin; id != end; ++id) visit(graph.edge(*id).src);
    }
    std::sort(cell.nodes.begin(), cell.nodes.end());
    for (std::uint32_t i = 0; i < cell.nodes.size(); ++i) places_[cell.nodes[i].value].local = i;
    std::vector<CellShape::Link> links;
    for (NodeId from : cell.nodes) {
      for_each_out(graph, from, [&](const topology::Edge& edge) {
        if (!is_plain(edge.dst)) return;
        links.push_back({places_[from.value].local, places_[edge.dst.value].local, edge_weight(graph, edge),
                         is_horizontal(graph, edge)});
      });
    }
    cell.shape = shapes.get(static_cast<std::uint32_t>(cell.nodes.size()), links);
  }
}

void FabricMap::find_ports(const Graph& graph) {
  for (std::size_t i = 0; i < node_count(graph); ++i) {
    if (graph.nodes[i].kind != NodeKind::ucie) continue;
    port_of_[i] = static_cast<std::uint32_t>(ports.size());
    ports.push_back({node_at(i), {}, {}, {}});
  }
  for (std::size_t i = 0; i < node_count(graph); ++i) {
    if (graph.nodes[i].kind == NodeKind::ucie_conn) add_links(graph, node_at(i));
  }
  for (std::uint32_t p = 0; p < ports.size(); ++p) {
    for_each_out(graph, ports[p].endpoint, [&](const topology::Edge& edge) {
      const std::uint32_t peer = port_of_[edge.dst.value];
      if (peer == kNowhere) return;
      const std::int64_t weight = edge_weight(graph, edge);
      ports[p].to.push_back({peer, weight});
      ports[peer].from.push_back({p, weight});
    });
  }
  for (const Port& port : ports) {
    if (port.to.size() > 1 || port.from.size() > 1) {
      throw Error::model(fmt::format("{} joins more than one other UCIe endpoint", graph.node(port.endpoint).id));
    }
    for (std::uint32_t link : port.links) cells[port_links[link].cell].links.push_back(link);
  }
}

// Adds the links of a connection: one endpoint, and the cell nodes to or from which it has an edge.
void FabricMap::add_links(const Graph& graph, NodeId connection) {
  std::vector<NodeId> neighbours;
  for_each_out(graph, connection, [&](const topology::Edge& edge) { neighbours.push_back(edge.dst); });
  const auto [begin, end] = graph.in_edges(connection);
  for (const EdgeId* id = begin; id != end; ++id) neighbours.push_back(graph.edge(*id).src);
  std::sort(neighbours.begin(), neighbours.end());
  neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
  for (NodeId endpoint : neighbours) {
    const std::uint32_t port = port_of_[endpoint.value];
    if (port == kNowhere) continue;
    for (NodeId inner : neighbours) {
      if (places_[inner.value].cell == kNowhere) continue;
      PortLink link;
      link.connection = connection;
      link.inner = inner;
      link.port = port;
      link.cell = places_[inner.value].cell;
      link.local = places_[inner.value].local;
      link.index = connection_index(graph.node(connection));
      link.sip = graph.node(connection).sip;
      link.inward_weight = weight_between(graph, connection, inner);
      link.outward_weight = weight_between(graph, inner, connection);
      link.to_endpoint_weight = weight_between(graph, connection, endpoint);
      link.from_endpoint_weight = weight_between(graph, endpoint, connection);
      ports[port].links.push_back(static_cast<std::uint32_t>(port_links.size()));
      port_links.push_back(link);
    }
  }
}

}  // namespace kb::routing
