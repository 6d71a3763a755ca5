#include "platform/elab/route_table.h"

#include <algorithm>

#include "platform/base/error.h"
#include "platform/routing/latency.h"

namespace kb::elab {

PortMap::PortMap(const topology::Graph& graph) : ports_(graph.nodes.size()) {
  for (std::uint32_t e = 0; e < graph.edges.size(); ++e) {
    const topology::Edge& edge = graph.edges[e];
    if (edge.kind == topology::EdgeKind::pe_internal) continue;
    ports_[edge.dst.value].push_back({edge.src, EdgeId(e), EdgeId()});  // EdgeId order by construction
  }
  for (std::uint32_t e = 0; e < graph.edges.size(); ++e) {
    const topology::Edge& edge = graph.edges[e];
    if (edge.kind == topology::EdgeKind::pe_internal) continue;
    ports_[edge.src.value][port_towards(edge.src, edge.dst)].out = EdgeId(e);
  }
}

std::uint16_t PortMap::port_towards(NodeId node, NodeId neighbour) const {
  const std::vector<Port>& ports = ports_[node.value];
  for (std::size_t p = 0; p < ports.size(); ++p) {
    if (ports[p].neighbour == neighbour) return static_cast<std::uint16_t>(p);
  }
  throw Error::configuration("a fabric edge has no reverse edge: every link needs both directions");
}

RouteTable::RouteTable(const topology::Graph& graph, const topology::Graph& plan, const PortMap& ports)
    : graph_(graph), ports_(ports), resolver_(graph), router_(plan) {}

const payload::FabricRoute& RouteTable::compile(const routing::Route& route) {
  std::unique_ptr<payload::FabricRoute>& slot = compiled_[&route];
  if (slot != nullptr) return *slot;
  slot = std::make_unique<payload::FabricRoute>();
  const std::size_t n = route.nodes.size();
  slot->nodes = route.nodes;
  slot->ports.resize(n);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    slot->ports[i].forward = ports_.port_towards(route.nodes[i], route.nodes[i + 1]);
    slot->ports[i + 1].reverse = ports_.port_towards(route.nodes[i + 1], route.nodes[i]);
  }
  slot->formula_fs = routing::path_latency_fs(graph_, route, 0);
  return *slot;
}

const payload::FabricRoute& RouteTable::pe_dma(NodeId pe_dma, NodeId memory) {
  return compile(router_.find_path(pe_dma, memory));
}

const payload::FabricRoute& RouteTable::channel(NodeId pe_dma, NodeId channel_router) {
  return compile(router_.find_channel_path(pe_dma, channel_router));
}

const payload::FabricRoute& RouteTable::host_memory(NodeId pcie_ep, NodeId memory) {
  return compile(router_.find_memory_path(pcie_ep, memory));
}

const payload::FabricRoute& RouteTable::mcpu_dma(NodeId m_cpu, NodeId memory) {
  return compile(router_.find_mcpu_dma_path(m_cpu, memory));
}

const payload::FabricRoute& RouteTable::command(NodeId from, NodeId to) {
  return compile(router_.find_node_path(from, to));
}

}  // namespace kb::elab
