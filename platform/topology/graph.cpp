#include "platform/topology/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "platform/base/error.h"

namespace kb::topology {
namespace {

// Engines have the names of their rows.
constexpr std::array<std::string_view, 21> kNodeKindNames{
    "host",       "switch",         "pcie_ep", "io_cpu",   "io_noc",         "ucie",   "ucie_conn",
    "noc_router", "m_cpu",          "sram",    "hbm_ctrl", "channel_router", "pe_cpu", "pe_scheduler",
    "pe_dma",     "pe_fetch_store", "",        "",         "pe_tcm",         "pe_mmu", "pe_ipcq"};

constexpr std::array<std::string_view, 23> kEdgeKindNames{"pe_internal",
                                                          "pe_to_router",
                                                          "router_to_pe",
                                                          "router_mesh",
                                                          "router_to_hbm",
                                                          "hbm_to_router",
                                                          "pe_to_channel",
                                                          "channel_to_pe",
                                                          "channel_to_hbm",
                                                          "hbm_to_channel",
                                                          "router_to_sram",
                                                          "sram_to_router",
                                                          "ucie_internal",
                                                          "ucie_conn_to_router",
                                                          "router_to_ucie_conn",
                                                          "ucie_conn_to_noc",
                                                          "noc_to_ucie_conn",
                                                          "ucie_mesh",
                                                          "io_internal",
                                                          "io_to_cube",
                                                          "cube_to_io",
                                                          "pcie",
                                                          "command"};

static_assert(static_cast<std::size_t>(NodeKind::pe_engine) == kNodeKindNames.size());
static_assert(static_cast<std::size_t>(EdgeKind::command) + 1 == kEdgeKindNames.size());

std::size_t hash_of(std::string_view text) {
  return std::hash<std::string_view>{}(text);
}

// A compressed row per node over the edges sorted by EdgeId.
void build_rows(const std::vector<Edge>& edges, std::size_t node_count, NodeId Edge::*end,
                std::vector<std::uint32_t>& rows, std::vector<EdgeId>& list) {
  rows.assign(node_count + 1, 0);
  for (const Edge& edge : edges) ++rows[(edge.*end).value + 1];
  for (std::size_t i = 1; i < rows.size(); ++i) rows[i] += rows[i - 1];
  std::vector<std::uint32_t> next(rows.begin(), rows.end() - 1);
  list.assign(edges.size(), EdgeId());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    list[next[(edges[e].*end).value]++] = EdgeId(static_cast<std::uint32_t>(e));
  }
}

}  // namespace

std::string_view node_kind_name(NodeKind kind) {
  if (const auto engine = engine_of(kind)) {
    const std::string_view name = engine::engine_node(*engine);
    return name.empty() ? "pe_engine" : name;  // no plug-in has brought one of this number
  }
  return kNodeKindNames[static_cast<std::size_t>(kind)];
}
std::string_view edge_kind_name(EdgeKind kind) {
  return kEdgeKindNames[static_cast<std::size_t>(kind)];
}

std::uint64_t MachineSpec::address_range() const {
  if (address_range_bytes != 0) return address_range_bytes;
  const auto cubes = static_cast<std::uint64_t>(sip_count) * static_cast<std::uint64_t>(cubes_per_sip());
  return std::max(std::uint64_t{64} << 30, cubes * hbm_bytes_per_cube);
}

std::uint64_t MachineSpec::flit_bytes() const {
  return static_cast<std::uint64_t>(hbm_ctrl().burst_bytes);
}

const params::HbmCtrlParams& MachineSpec::hbm_ctrl() const {
  return cube_components.at("hbm_ctrl").params.as<params::HbmCtrlParams>();
}

params::MemoryTraits MachineSpec::hbm_traits() const {
  const ComponentSpec& component = cube_components.at("hbm_ctrl");
  return params::memory_traits(component.params, component.impl_params);
}

void Graph::finish() {
  if (spec.cube_components.count("hbm_ctrl") != 0) flit_bytes_ = spec.flit_bytes();
  by_hash_.clear();
  by_hash_.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    by_hash_.emplace_back(hash_of(nodes[i].id), NodeId(static_cast<std::uint32_t>(i)));
  }
  std::sort(by_hash_.begin(), by_hash_.end());
  build_rows(edges, nodes.size(), &Edge::src, out_row_, out_list_);
  build_rows(edges, nodes.size(), &Edge::dst, in_row_, in_list_);
}

std::optional<NodeId> Graph::find_node(std::string_view id) const {
  const std::size_t hash = hash_of(id);
  auto it = std::lower_bound(by_hash_.begin(), by_hash_.end(), std::pair<std::size_t, NodeId>{hash, NodeId(0)});
  for (; it != by_hash_.end() && it->first == hash; ++it) {
    if (node(it->second).id == id) return it->second;
  }
  return std::nullopt;
}

std::optional<EdgeId> Graph::find_edge(NodeId src, NodeId dst) const {
  const auto [begin, end] = out_edges(src);
  const EdgeId* it = std::find_if(begin, end, [&](EdgeId id) { return edge(id).dst == dst; });
  if (it == end) return std::nullopt;
  return *it;
}

std::pair<const EdgeId*, const EdgeId*> Graph::out_edges(NodeId id) const {
  return {out_list_.data() + out_row_[id.value], out_list_.data() + out_row_[id.value + 1]};
}

std::pair<const EdgeId*, const EdgeId*> Graph::in_edges(NodeId id) const {
  return {in_list_.data() + in_row_[id.value], in_list_.data() + in_row_[id.value + 1]};
}

}  // namespace kb::topology
