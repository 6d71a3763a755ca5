// Which edges and nodes a route may use. Every edge kind is classified here by name, so that a new one cannot fall
// through to a default (T-67).
#pragma once

#include <cstdint>

#include "platform/topology/graph.h"

namespace kb::routing {

// What a route is for (F-15); decides the adjacency graph of F-14 that it may use.
enum class RoutePurpose : std::uint8_t {
  pe_dma,       // PE_DMA -> memory: `local` inside a cube, otherwise `data`
  host_memory,  // pcie_ep -> memory: `mcpu_dma`
  mcpu_dma,     // M_CPU -> memory: inside a cube `local` without PE edges, otherwise `mcpu_dma` (F-16)
  command,      // block to block: `all`
  channel,      // PE_DMA -> one channel of its own HBM partition (T-56): through its channel router, never searched
};

// True when a route of this purpose may use an edge of this kind; same_cube: both ends lie in one cube.
bool may_use(RoutePurpose purpose, bool same_cube, topology::EdgeKind kind);

// Nodes that a route may pass besides UCIe endpoints and connections. pcie_ep counts only on routes between SIPs.
bool is_plain_interior(topology::NodeKind kind, bool between_sips);

// What an edge counts for when routes are compared (F-8), by the machine's routing metric. `latency`: the time in
// femtoseconds that one full flit needs to pass the idle wire and the node behind it: propagation, occupancy and
// overhead; above one second it counts as one second. `distance`: edge_weight_um.
std::int64_t edge_weight(const topology::Graph& graph, const topology::Edge& edge);

// Length in micrometres: routing_weight_mm if present and non-zero, else distance_mm (F-19). Configuration Error when
// it is negative, not finite or above 1e9 mm.
std::int64_t edge_weight_um(const topology::Edge& edge);

}  // namespace kb::routing
