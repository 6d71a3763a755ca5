#include "sim/evaluate/pe_dma/paths.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "platform/routing/address_resolver.h"
#include "platform/routing/latency.h"

namespace kb::evaluate {
namespace {

using topology::NodeKind;

double ns(TimeFs time) {
  return static_cast<double>(time) / static_cast<double>(kFsPerNs);
}

bool limited(const topology::Edge& edge) {
  return edge.bw_gbs && *edge.bw_gbs > 0;
}

// The part of the breakdown that a node belongs to; an edge belongs to the later of its ends in this order.
enum class Part { pe, mesh, ucie, fabric };

Part part_of(const topology::Node& node) {
  if (!node.cube.valid()) return Part::fabric;
  if (node.kind == NodeKind::ucie || node.kind == NodeKind::ucie_conn) return Part::ucie;
  return node.kind == NodeKind::pe_dma ? Part::pe : Part::mesh;
}

double& field(DmaBreakdown& breakdown, Part part) {
  switch (part) {
    case Part::pe:
      return breakdown.pe_setup;
    case Part::mesh:
      return breakdown.noc_mesh;
    case Part::ucie:
      return breakdown.ucie;
    case Part::fabric:
      break;
  }
  return breakdown.fabric;
}

Part part_of(const topology::Graph& graph, const topology::Edge& edge) {
  return std::max({part_of(graph.node(edge.src)), part_of(graph.node(edge.dst)), Part::mesh});
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

// The last flit is as late as the wire that holds it up most makes it: the flits before it follow each other there, and
// the nodes behind cost it nothing, because only the first flit pays their overheads while the others close up.
double DmaPaths::behind_first_flit(const DmaFlow& flow, double flits) {
  std::vector<EdgeId> passed = data_edges(flow);
  if (!read_) std::reverse(passed.begin(), passed.end());  // from the end of the way to its begin
  const auto flit = static_cast<double>(graph_.spec.flit_bytes());
  double latest = 0, overheads = 0;
  for (const EdgeId id : passed) {
    const topology::Edge& edge = graph_.edge(id);
    const topology::Node& node = graph_.node(edge.dst);
    if (node.kind != NodeKind::hbm_ctrl && node.kind != NodeKind::pe_dma) overheads += node.number_or("overhead_ns", 0);
    if (limited(edge)) latest = std::max(latest, (flits - 1) * flit / *edge.bw_gbs - overheads);
  }
  return latest;
}

DmaBreakdown DmaPaths::breakdown(const DmaFlow& flow, std::uint64_t bytes) {
  const routing::Route& found = route(flow);
  const topology::Node& hbm = graph_.node(found.nodes.back());
  const auto flit = static_cast<double>(graph_.spec.flit_bytes());
  const double flits = std::ceil(static_cast<double>(bytes) / flit);
  DmaBreakdown parts;
  parts.hbm_ctrl = hbm.number_or("overhead_ns", 0) + hbm.number("burst_bytes") / hbm.number("pc_bw_gbs");
  parts.wire_transfer = behind_first_flit(flow, flits);
  const auto pass = [&](const std::vector<EdgeId>& edges, bool data) {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const topology::Edge& edge = graph_.edge(edges[i]);
      double time = ns(routing::propagation_fs(edge, graph_.spec.ns_per_mm));
      if (data && limited(edge)) time += flit / *edge.bw_gbs;
      field(parts, part_of(graph_, edge)) += time;
    }
  };
  const auto overheads = [&] {
    for (const NodeId id : found.nodes) {
      const topology::Node& node = graph_.node(id);
      if (node.kind == NodeKind::hbm_ctrl || node.kind == NodeKind::pe_dma) continue;  // begins behind PE_DMA's own
      field(parts, part_of(node)) += node.number_or("overhead_ns", 0);
    }
  };
  overheads();
  pass(found.edges, !read_);
  if (read_) {
    overheads();
    pass(found.reverse_edges, true);
  }
  return parts;
}

}  // namespace kb::evaluate
