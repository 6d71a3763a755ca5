// Shortest routes between blocks, computed on first use and cached (F-13..F-23). docs/architecture/addressing.md
// defines the exact rule, including ties.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "platform/base/ids.h"
#include "platform/routing/cell_shape.h"
#include "platform/routing/edge_classes.h"
#include "platform/routing/fabric_map.h"
#include "platform/routing/latency.h"
#include "platform/routing/route.h"
#include "platform/routing/route_search.h"
#include "platform/topology/graph.h"

namespace kb::routing {

// Returned references stay valid for the lifetime of the router. A missing path ("no path from X to Y", F-22) and an
// edge without a reverse edge are configuration Errors; a UCIe node as an end is a model Error. Not thread-safe.
class PathRouter {
 public:
  explicit PathRouter(const topology::Graph& graph);

  const Route& find_path(NodeId pe_dma, NodeId memory) { return find(RoutePurpose::pe_dma, pe_dma, memory); }
  const Route& find_memory_path(NodeId pcie_ep, NodeId memory) {
    return find(to_memory(RoutePurpose::host_memory, memory), pcie_ep, memory);
  }
  const Route& find_mcpu_dma_path(NodeId m_cpu, NodeId memory) {
    return find(to_memory(RoutePurpose::mcpu_dma, memory), m_cpu, memory);
  }
  const Route& find_node_path(NodeId src, NodeId dst) { return find(RoutePurpose::command, src, dst); }
  // From a PE_DMA through a channel router to its HBM controller (T-56).
  const Route& find_channel_path(NodeId pe_dma, NodeId channel_router) {
    return find(RoutePurpose::channel, pe_dma, channel_router);
  }

  const Route& find(RoutePurpose purpose, NodeId src, NodeId dst);

 private:
  struct Fabric {
    Fabric(const topology::Graph& graph, bool between_sips, CellShapePool& shapes)
        : map(graph, between_sips, shapes), search(graph, map) {}
    FabricMap map;
    RouteSearch search;
  };

  // Routes to a TCM need the links inside its PE, which other memory routes exclude.
  RoutePurpose to_memory(RoutePurpose purpose, NodeId memory) const {
    return graph_.node(memory).kind == topology::NodeKind::pe_dma ? RoutePurpose::pe_dma : purpose;
  }
  Route compute(RoutePurpose purpose, NodeId src, NodeId dst);
  Route through_channel(NodeId pe_dma, NodeId channel_router) const;
  Route with_edges(FoundPath path) const;
  Fabric& fabric(bool between_sips);

  const topology::Graph& graph_;
  bool third_sips_are_dead_ends_;
  CellShapePool shapes_;
  std::unique_ptr<Fabric> within_sip_, between_sips_;
  std::unordered_map<std::uint64_t, std::unique_ptr<const Route>> routes_;
};

}  // namespace kb::routing
