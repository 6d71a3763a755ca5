#include "platform/routing/edge_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/base/error.h"
#include "platform/routing/latency.h"

namespace kb::routing {
namespace {

using topology::EdgeKind;
using topology::NodeKind;

enum class EdgeClass { inside_pe, pe_boundary, channel, command, port, fabric };

EdgeClass class_of(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::pe_internal:
      return EdgeClass::inside_pe;
    case EdgeKind::pe_to_router:
    case EdgeKind::router_to_pe:
      return EdgeClass::pe_boundary;
    case EdgeKind::pe_to_channel:
    case EdgeKind::channel_to_pe:
    case EdgeKind::channel_to_hbm:
    case EdgeKind::hbm_to_channel:
      return EdgeClass::channel;
    case EdgeKind::command:
      return EdgeClass::command;
    case EdgeKind::ucie_internal:
    case EdgeKind::ucie_conn_to_router:
    case EdgeKind::router_to_ucie_conn:
    case EdgeKind::ucie_conn_to_noc:
    case EdgeKind::noc_to_ucie_conn:
    case EdgeKind::ucie_mesh:
    case EdgeKind::io_to_cube:
    case EdgeKind::cube_to_io:
      return EdgeClass::port;
    case EdgeKind::router_mesh:
    case EdgeKind::router_to_hbm:
    case EdgeKind::hbm_to_router:
    case EdgeKind::router_to_sram:
    case EdgeKind::sram_to_router:
    case EdgeKind::io_internal:
    case EdgeKind::pcie:
      return EdgeClass::fabric;
  }
  throw Error::model("an edge kind has no place in the routing graphs");
}

constexpr TimeFs kMaxWeight = 1'000'000'000_ns;  // sums over a route stay representable

double counted_mm(const topology::Edge& edge) {
  const double given = edge.routing_weight_mm.value_or(0.0);
  return given != 0.0 ? given : edge.distance_mm;
}

}  // namespace

bool may_use(RoutePurpose purpose, bool same_cube, EdgeKind kind) {
  const EdgeClass edge_class = class_of(kind);
  if (edge_class == EdgeClass::channel) return purpose == RoutePurpose::channel;
  if (same_cube && edge_class == EdgeClass::port) return false;
  switch (purpose) {
    case RoutePurpose::pe_dma:
      return same_cube || edge_class != EdgeClass::command;
    case RoutePurpose::host_memory:
    case RoutePurpose::mcpu_dma:
      return edge_class != EdgeClass::inside_pe && edge_class != EdgeClass::pe_boundary;
    case RoutePurpose::command:
      return true;
    case RoutePurpose::channel:
      return false;
  }
  throw Error::model("a route purpose has no routing graph");
}

bool is_plain_interior(NodeKind kind, bool between_sips) {
  if (is_pe_block(kind)) return false;
  switch (kind) {
    case NodeKind::noc_router:
    case NodeKind::io_noc:
    case NodeKind::switch_:
      return true;
    case NodeKind::pcie_ep:
      return between_sips;
    case NodeKind::host:
    case NodeKind::io_cpu:
    case NodeKind::ucie:
    case NodeKind::ucie_conn:
    case NodeKind::m_cpu:
    case NodeKind::sram:
    case NodeKind::hbm_ctrl:
    case NodeKind::channel_router:
      return false;
    default:
      break;
  }
  throw Error::model("a node kind has no place in the routing rules");
}

std::int64_t edge_weight(const topology::Graph& graph, const topology::Edge& edge) {
  if (graph.spec.routing_metric == topology::RoutingMetric::distance) return edge_weight_um(edge);
  topology::Edge counted = edge;
  counted.distance_mm = counted_mm(edge);
  const TimeFs time = propagation_fs(counted, graph.spec.ns_per_mm) + edge.bw.occupancy(graph.flit_bytes()) +
                      node_overhead_fs(graph.node(edge.dst));
  return std::min(time, kMaxWeight).fs();
}

std::int64_t edge_weight_um(const topology::Edge& edge) {
  const double mm = counted_mm(edge);
  if (!std::isfinite(mm) || mm < 0.0 || mm > 1e9) {
    throw Error::configuration(fmt::format("{} mm cannot be a distance (it must lie in 0 .. 1e9)", mm));
  }
  return std::llround(mm * 1000.0);
}

}  // namespace kb::routing
