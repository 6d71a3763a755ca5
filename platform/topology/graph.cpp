#include "platform/topology/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "platform/base/error.h"

namespace kb::topology {
namespace {

constexpr std::array<std::string_view, 21> kNodeKindNames{
    "host",       "switch",         "pcie_ep", "io_cpu",   "io_noc",         "ucie",   "ucie_conn",
    "noc_router", "m_cpu",          "sram",    "hbm_ctrl", "channel_router", "pe_cpu", "pe_scheduler",
    "pe_dma",     "pe_fetch_store", "pe_gemm", "pe_math",  "pe_tcm",         "pe_mmu", "pe_ipcq"};

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

static_assert(static_cast<std::size_t>(NodeKind::pe_ipcq) + 1 == kNodeKindNames.size());
static_assert(static_cast<std::size_t>(EdgeKind::command) + 1 == kEdgeKindNames.size());

std::size_t hash_of(std::string_view text) {
  return std::hash<std::string_view>{}(text);
}

const AttributeValue* find_attribute(const Node& node, std::string_view name) {
  if (!node.attrs) return nullptr;
  const auto it = node.attrs->find(std::string(name));
  return it == node.attrs->end() ? nullptr : &it->second;
}

std::optional<double> as_number(const AttributeValue& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::nullopt;
}

std::optional<std::int64_t> as_integer(const AttributeValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  const auto* real = std::get_if<double>(&value);
  if (real != nullptr && *real == std::floor(*real) && std::abs(*real) < 9e15) return static_cast<std::int64_t>(*real);
  return std::nullopt;
}

[[noreturn]] void missing(const Node& node, std::string_view name, const char* type) {
  throw Error::model(fmt::format("{} has no {} attribute '{}'", node.id, type, name));
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
  return kNodeKindNames[static_cast<std::size_t>(kind)];
}
std::string_view edge_kind_name(EdgeKind kind) {
  return kEdgeKindNames[static_cast<std::size_t>(kind)];
}

double Node::number(std::string_view name) const {
  const AttributeValue* value = find_attribute(*this, name);
  const std::optional<double> number = value ? as_number(*value) : std::nullopt;
  if (!number) missing(*this, name, "numeric");
  return *number;
}

double Node::number_or(std::string_view name, double fallback) const {
  return find_attribute(*this, name) ? number(name) : fallback;
}

std::int64_t Node::integer(std::string_view name) const {
  const AttributeValue* value = find_attribute(*this, name);
  const std::optional<std::int64_t> number = value ? as_integer(*value) : std::nullopt;
  if (!number) missing(*this, name, "integer");
  return *number;
}

std::int64_t Node::integer_or(std::string_view name, std::int64_t fallback) const {
  return find_attribute(*this, name) ? integer(name) : fallback;
}

std::string Node::text_or(std::string_view name, std::string fallback) const {
  const AttributeValue* value = find_attribute(*this, name);
  if (value == nullptr) return fallback;
  const auto* text = std::get_if<std::string>(value);
  if (text == nullptr) missing(*this, name, "text");
  return *text;
}

DtypeRates Node::rates(std::string_view name, RateUnit unit) const {
  const AttributeValue* value = find_attribute(*this, name);
  const auto* by_dtype = value == nullptr ? nullptr : std::get_if<RateMap>(value);
  if (by_dtype == nullptr) return {unit, number(name)};
  DtypeRates rates;
  for (const auto& [dtype, rate] : *by_dtype) rates.set(*parse_dtype(dtype), rate);
  return rates;
}

std::uint64_t MachineSpec::flit_bytes() const {
  return static_cast<std::uint64_t>(std::get<std::int64_t>(cube_components.at("hbm_ctrl").attrs.at("burst_bytes")));
}

void Graph::finish() {
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
