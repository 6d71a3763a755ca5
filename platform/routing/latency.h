// Latency of edges and of whole routes by formula (F-63, F-64), in integer femtoseconds.
#pragma once

#include <cstdint>

#include "platform/base/units.h"
#include "platform/routing/route.h"
#include "platform/topology/graph.h"

namespace kb::routing {

// Propagation of one edge: llround(distance_mm * ns_per_mm * 1e6), at least 1. The one place that knows this rule;
// wires and formulas ask here. Configuration Error when the product is negative or not finite.
TimeFs propagation_fs(const topology::Edge& edge, double ns_per_mm);

// overhead_ns of a node; 0 where it has none.
TimeFs node_overhead_fs(const topology::Node& node);

// Sum of the propagation of the route's edges.
TimeFs wire_fs(const topology::Graph& graph, const Route& route);
// Sum of overhead_ns of all nodes, both ends included.
TimeFs overhead_fs(const topology::Graph& graph, const Route& route);
// The narrowest wire of a route.
Bandwidth narrowest_bw(const topology::Graph& graph, const Route& route);
// Time that `bytes` occupy the narrowest edge of the route that has a bandwidth, each flit rounded as on a wire so that
// the formula stays a lower bound to the femtosecond; 0 without such an edge or without bytes.
TimeFs drain_fs(const topology::Graph& graph, const Route& route, std::uint64_t bytes);
// What a message of one flit takes on an idle fabric, exactly: overheads, propagation and its time on every wire.
TimeFs one_flit_latency_fs(const topology::Graph& graph, const Route& route, std::uint64_t bytes);
// wire + overhead + drain.
TimeFs path_latency_fs(const topology::Graph& graph, const Route& route, std::uint64_t bytes);

}  // namespace kb::routing
