// Routes with port numbers, computed on first use by the path router and kept for the run.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "platform/address/phys_addr.h"
#include "platform/base/ids.h"
#include "platform/payload/route.h"
#include "platform/routing/address_resolver.h"
#include "platform/routing/path_router.h"
#include "platform/topology/graph.h"

namespace kb::elab {

// The fabric ports of a node are numbered in ascending EdgeId order of the incoming edges, so that comparing ports
// compares incoming edges (the tie rule for equal arrival times).
class PortMap {
 public:
  explicit PortMap(const topology::Graph& graph);
  struct Port {
    NodeId neighbour;
    EdgeId in;   // neighbour -> node
    EdgeId out;  // node -> neighbour
  };
  const std::vector<Port>& ports(NodeId node) const { return ports_[node.value]; }
  std::uint16_t port_towards(NodeId node, NodeId neighbour) const;  // model Error when there is no such port

 private:
  std::vector<std::vector<Port>> ports_;
};

class RouteTable {
 public:
  // `plan` has the weights of the routes; it has the same nodes and links as `graph`.
  RouteTable(const topology::Graph& graph, const topology::Graph& plan, const PortMap& ports);

  // Routes by purpose (F-15). References stay valid for the run. Throws Error "no path from X to Y" (F-22).
  const payload::FabricRoute& pe_dma(NodeId pe_dma, NodeId memory);
  const payload::FabricRoute& channel(NodeId pe_dma, NodeId channel_router);
  const payload::FabricRoute& host_memory(NodeId pcie_ep, NodeId memory);
  const payload::FabricRoute& mcpu_dma(NodeId m_cpu, NodeId memory);
  const payload::FabricRoute& command(NodeId from, NodeId to);

  const routing::AddressResolver& resolver() const { return resolver_; }
  routing::PathRouter& router() { return router_; }

 private:
  const payload::FabricRoute& compile(const routing::Route& route);

  const topology::Graph& graph_;
  const PortMap& ports_;
  routing::AddressResolver resolver_;
  routing::PathRouter router_;
  std::unordered_map<const routing::Route*, std::unique_ptr<payload::FabricRoute>> compiled_;
};

}  // namespace kb::elab
