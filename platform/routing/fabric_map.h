// Routing view of the fabric. Cells are connected groups of plain interior nodes (the routers of a cube; an io_noc;
// between SIPs: all io_nocs, pcie_eps and the switch). Cells are connected by ports: a port is a UCIe endpoint with its
// connections, and a link is one connection of a port with its adjacent cell node.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "platform/base/ids.h"
#include "platform/routing/cell_shape.h"
#include "platform/topology/graph.h"

namespace kb::routing {

inline constexpr std::int64_t kNoEdge = -1;  // as a weight: the edge does not exist

struct PortLink {
  NodeId connection;
  NodeId inner;            // cell node
  std::uint32_t port = 0;  // index into FabricMap::ports
  std::uint32_t cell = 0;
  std::uint32_t local = 0;  // index of `inner` in the cell
  std::uint32_t index = 0;  // connection index: N of "...conn{N}"
  SipId sip;
  // Edge weights, or kNoEdge.
  std::int64_t inward_weight = kNoEdge;         // connection -> inner
  std::int64_t outward_weight = kNoEdge;        // inner -> connection
  std::int64_t to_endpoint_weight = kNoEdge;    // connection -> endpoint
  std::int64_t from_endpoint_weight = kNoEdge;  // endpoint -> connection

  bool opens_inward() const { return inward_weight != kNoEdge && from_endpoint_weight != kNoEdge; }
  bool opens_outward() const { return outward_weight != kNoEdge && to_endpoint_weight != kNoEdge; }
};

struct Port {
  struct Peer {
    std::uint32_t port = 0;
    std::int64_t weight = 0;
  };
  NodeId endpoint;
  std::vector<std::uint32_t> links;  // ordered by connection, then inner node
  std::vector<Peer> to, from;        // endpoints that are reachable from here / that reach this one
};

struct Cell {
  std::vector<NodeId> nodes;         // ascending
  std::vector<std::uint32_t> links;  // grouped by port
  std::shared_ptr<CellShape> shape;
};

struct CellPlace {
  std::uint32_t cell = 0;
  std::uint32_t local = 0;
};

class FabricMap {
 public:
  // between_sips: pcie_eps are interior nodes.
  FabricMap(const topology::Graph& graph, bool between_sips, CellShapePool& shapes);

  std::vector<Cell> cells;
  std::vector<Port> ports;
  std::vector<PortLink> port_links;

  // Cell and index of a plain interior node; no value for other nodes.
  std::optional<CellPlace> place(NodeId node) const;
  // The port with this endpoint; no value for other nodes.
  std::optional<std::uint32_t> port_of(NodeId node) const;

 private:
  void find_cells(const topology::Graph& graph, bool between_sips, CellShapePool& shapes);
  void find_ports(const topology::Graph& graph);
  void add_links(const topology::Graph& graph, NodeId connection);

  static constexpr std::uint32_t kNowhere = 0xffffffffu;
  std::vector<CellPlace> places_;       // indexed by node; cell is kNowhere for other nodes
  std::vector<std::uint32_t> port_of_;  // indexed by node; kNowhere for other nodes
};

}  // namespace kb::routing
