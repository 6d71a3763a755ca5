#include "sim/evaluate/pe_dma/paths.h"

#include <algorithm>
#include <limits>
#include <map>

#include "platform/routing/address_resolver.h"
#include "platform/routing/uncontended_transfer.h"

namespace kb::evaluate {
namespace {

using topology::NodeKind;

bool limited(const topology::Edge& edge) {
  return edge.bw_gbs && *edge.bw_gbs > 0;
}

}  // namespace

DmaPaths::DmaPaths(const topology::LoadedTopology& machine, bool read)
    : graph_(machine.graph), resolver_(machine.graph), router_(machine.graph), read_(read) {}

const routing::Route& DmaPaths::route(const DmaFlow& flow) {
  return router_.find_path(resolver_.find_pe_node(flow.issuer, NodeKind::pe_dma), resolver_.find_hbm(flow.target));
}

const std::vector<EdgeId>& DmaPaths::data_edges(const DmaFlow& flow) {
  const routing::Route& found = route(flow);
  return read_ ? found.reverse_edges : found.edges;
}

double DmaPaths::single_peak(const DmaFlow& flow) {
  double peak = std::numeric_limits<double>::infinity();
  for (const EdgeId id : data_edges(flow)) {
    const topology::Edge& edge = graph_.edge(id);
    if (limited(edge)) peak = std::min(peak, *edge.bw_gbs);
  }
  return peak;
}

double DmaPaths::aggregate_peak(const std::vector<DmaFlow>& flows) {
  std::map<EdgeId, int> users;
  for (const DmaFlow& flow : flows) {
    for (const EdgeId id : data_edges(flow)) ++users[id];
  }
  double sum = 0;
  for (const DmaFlow& flow : flows) {
    double share = std::numeric_limits<double>::infinity();
    for (const EdgeId id : data_edges(flow)) {
      const topology::Edge& edge = graph_.edge(id);
      if (limited(edge)) share = std::min(share, *edge.bw_gbs / users[id]);
    }
    sum += share;
  }
  return sum;
}

DmaBreakdown DmaPaths::breakdown(const DmaFlow& flow, std::uint64_t bytes) {
  const routing::TransferPath path = routing::transfer_path(graph_, route(flow));
  const routing::TransferTimes times =
      read_ ? routing::uncontended_read(path, bytes) : routing::uncontended_write(path, bytes);
  DmaBreakdown parts;
  parts.pe_setup = fs_to_ns(times.part(routing::PathPart::pe));
  parts.noc_mesh = fs_to_ns(times.part(routing::PathPart::mesh));
  parts.ucie = fs_to_ns(times.part(routing::PathPart::ucie));
  parts.fabric = fs_to_ns(times.part(routing::PathPart::fabric));
  parts.hbm_ctrl = fs_to_ns(times.part(routing::PathPart::memory));
  parts.wire_transfer = fs_to_ns(times.behind_first);
  return parts;
}

}  // namespace kb::evaluate
