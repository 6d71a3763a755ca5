// The fabric as routing sees it. Cells are connected groups of plain interior nodes (the routers of a cube; an io_noc;
// between SIPs: all io_nocs, pcie_eps and the switch). Cells touch at ports: a UCIe endpoint with its connections. A
// link is one connection of a port together with the cell node behind it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "platform/base/ids.h"
#include "platform/routing/cell_shape.h"
#include "platform/topology/graph.h"

namespace kb::routing {

inline constexpr std::int64_t kNoEdge = -1;  // as a weight: there is no such edge

struct PortLink {
  NodeId connection;
  NodeId inner;            // cell node
  std::uint32_t port = 0;  // index into FabricMap::ports
  std::uint32_t cell = 0;
  std::uint32_t local = 0;  // of `inner` in the cell
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
  std::vector<std::uint32_t> links;  // by connection, then inner node
  std::vector<Peer> to, from;        // endpoints reached from here; endpoints that reach here
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
  // between_sips: pcie_ep counts as an interior node.
  FabricMap(const topology::Graph& graph, bool between_sips, CellShapePool& shapes);

  std::vector<Cell> cells;
  std::vector<Port> ports;
  std::vector<PortLink> port_links;

  // Where a plain interior node lies; nothing for other nodes.
  std::optional<CellPlace> place(NodeId node) const;
  // The port whose endpoint the node is; nothing for other nodes.
  std::optional<std::uint32_t> port_of(NodeId node) const;

 private:
  void find_cells(const topology::Graph& graph, bool between_sips, CellShapePool& shapes);
  void find_ports(const topology::Graph& graph);
  void add_links(const topology::Graph& graph, NodeId connection);

  static constexpr std::uint32_t kNowhere = 0xffffffffu;
  std::vector<CellPlace> places_;       // by node; cell == kNowhere
  std::vector<std::uint32_t> port_of_;  // by node; kNowhere
};

}  // namespace kb::routing
