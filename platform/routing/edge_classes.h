// Which edges and nodes a route may use. Every edge kind is classified by name, so that a new kind cannot fall through
// to a default (T-67).
#pragma once

#include <cstdint>

#include "platform/topology/graph.h"

namespace kb::routing {

// Purpose of a route (F-15); it determines the adjacency graph of F-14.
enum class RoutePurpose : std::uint8_t {
  pe_dma,       // PE_DMA -> memory: `local` inside a cube, otherwise `data`
  host_memory,  // pcie_ep -> memory: `mcpu_dma`
  mcpu_dma,     // M_CPU -> memory: inside a cube `local` without PE edges, otherwise `mcpu_dma` (F-16)
  command,      // between any two blocks: `all`
  channel,      // PE_DMA -> one channel of its own HBM partition (T-56), through its channel router; not searched
};

// Whether a route of this purpose may use an edge of this kind; same_cube: both ends are in one cube.
bool may_use(RoutePurpose purpose, bool same_cube, topology::EdgeKind kind);

// Nodes that a route may pass in addition to UCIe endpoints and connections. pcie_ep is allowed only on routes between
// SIPs.
bool is_plain_interior(topology::NodeKind kind, bool between_sips);

// Weight of an edge by the machine's routing metric (F-8). `latency`: time in femtoseconds that one full flit takes to
// pass the idle wire and its end node (propagation, occupancy and overhead), at most one second. `distance`:
// edge_weight_um.
std::int64_t edge_weight(const topology::Graph& graph, const topology::Edge& edge);

// Length in micrometres: routing_weight_mm if it is set and non-zero, otherwise distance_mm (F-19). Configuration Error
// when it is negative, not finite or above 1e9 mm.
std::int64_t edge_weight_um(const topology::Edge& edge);

}  // namespace kb::routing
