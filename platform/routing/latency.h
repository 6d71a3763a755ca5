// Formula latency of edges and routes (F-63, F-64), in integer femtoseconds.
#pragma once

#include <cstdint>

#include "platform/base/units.h"
#include "platform/routing/route.h"
#include "platform/topology/graph.h"

namespace kb::routing {

// Propagation of one edge: llround(distance_mm * ns_per_mm * 1e6), at least 1. Wires and formulas both use this
// function. Configuration Error when the product is negative or not finite.
TimeFs propagation_fs(const topology::Edge& edge, double ns_per_mm);

// overhead_ns of a node; 0 for a kind without overhead.
TimeFs node_overhead_fs(const topology::Node& node);

// Sum of the propagation over the route's edges.
TimeFs wire_fs(const topology::Graph& graph, const Route& route);
// Sum of overhead_ns over all nodes, both ends included.
TimeFs overhead_fs(const topology::Graph& graph, const Route& route);
// Smallest bandwidth of a route.
Bandwidth narrowest_bw(const topology::Graph& graph, const Route& route);
// Time that `bytes` occupy the narrowest edge of the route, with each flit rounded as on a wire, so that the formula
// stays a lower bound to the femtosecond; 0 without a limited edge or without bytes.
TimeFs drain_fs(const topology::Graph& graph, const Route& route, std::uint64_t bytes);
// Exact latency of a one-flit message on an idle fabric: overheads, propagation, and occupancy of every wire.
TimeFs one_flit_latency_fs(const topology::Graph& graph, const Route& route, std::uint64_t bytes);
// wire + overhead + drain.
TimeFs path_latency_fs(const topology::Graph& graph, const Route& route, std::uint64_t bytes);

}  // namespace kb::routing
