// The compiled machine: nodes, directed edges and their effective attributes. It is the single source of what exists
// (T-29), is independent of SystemC, and never changes after compilation (T-2).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/quantities.h"
#include "platform/base/units.h"
#include "platform/engine/engine_id.h"
#include "platform/params/param_set.h"
#include "platform/topology/machine_spec.h"

namespace kb::topology {

enum class NodeKind : std::uint8_t {
  host,
  switch_,
  pcie_ep,
  io_cpu,
  io_noc,
  ucie,
  ucie_conn,
  noc_router,
  m_cpu,
  sram,
  hbm_ctrl,
  channel_router,
  pe_cpu,
  pe_scheduler,
  pe_dma,
  pe_fetch_store,
  pe_gemm,
  pe_math,
  pe_tcm,
  pe_mmu,
  pe_ipcq,
  pe_engine,  // the first engine of plug-ins; the kinds of others follow, without enumerators
};
inline constexpr std::size_t kNodeKinds =
    static_cast<std::size_t>(NodeKind::pe_engine) + engine::kMaxEngines - engine::kBuiltInEngines;
std::string_view node_kind_name(NodeKind kind);
// One of the nine blocks of a PE (T-9), or an engine of a plug-in.
constexpr bool is_pe_block(NodeKind kind) {
  return kind >= NodeKind::pe_cpu;
}

// The kind of an engine's block. The kinds of the built-in engines are consecutive, and so are those of the others.
constexpr NodeKind engine_kind(engine::EngineId id) {
  const std::size_t index = engine::index_of(id);
  return index < engine::kBuiltInEngines
             ? static_cast<NodeKind>(static_cast<std::size_t>(NodeKind::pe_gemm) + index)
             : static_cast<NodeKind>(static_cast<std::size_t>(NodeKind::pe_engine) + index - engine::kBuiltInEngines);
}
constexpr bool is_plugin_engine(NodeKind kind) {
  return kind >= NodeKind::pe_engine;
}
// No value for a block that is not an engine.
constexpr std::optional<engine::EngineId> engine_of(NodeKind kind) {
  const auto from = [kind](NodeKind first) { return static_cast<std::size_t>(kind) - static_cast<std::size_t>(first); };
  if (is_plugin_engine(kind)) {
    return static_cast<engine::EngineId>(engine::kBuiltInEngines + from(NodeKind::pe_engine));
  }
  if (kind < NodeKind::pe_gemm || from(NodeKind::pe_gemm) >= engine::kBuiltInEngines) return std::nullopt;
  return static_cast<engine::EngineId>(from(NodeKind::pe_gemm));
}

// Section 7 of the topology chapter; routing classifies every kind explicitly (T-67).
enum class EdgeKind : std::uint8_t {
  pe_internal,
  pe_to_router,
  router_to_pe,
  router_mesh,
  router_to_hbm,
  hbm_to_router,
  pe_to_channel,
  channel_to_pe,
  channel_to_hbm,
  hbm_to_channel,
  router_to_sram,
  sram_to_router,
  ucie_internal,
  ucie_conn_to_router,
  router_to_ucie_conn,
  ucie_conn_to_noc,
  noc_to_ucie_conn,
  ucie_mesh,
  io_internal,
  io_to_cube,
  cube_to_io,
  pcie,
  command,
};
std::string_view edge_kind_name(EdgeKind kind);

struct Position {
  double x = 0.0;
  double y = 0.0;
};

struct Node {
  std::string id;  // "sip0.cube3.pe5.pe_dma"
  NodeKind kind{};
  std::string impl;                     // registry name, "builtin.forwarding"
  params::ParamSet params;              // parameters of the kind; shared by all instances of a template
  params::ParamSet impl_params;         // additional parameters of a custom implementation
  bool foreign = false;                 // the implementation is not kernbench's own code (Origin)
  TimeFs overhead = 0_fs;               // overhead of a header or a message, if the kind has one
  std::optional<Position> pos_mm;       // position in the cube
  SipId sip;                            // not valid for tray nodes
  CubeId cube;                          // not valid outside cubes
  PeId pe;                              // owner of a PE block, HBM controller or channel router; otherwise not valid
  std::optional<std::int64_t> channel;  // for a channel router: the HBM channel of its PE
  std::optional<std::uint32_t> connection;  // for a UCIe connection: its index at the endpoint
  std::optional<std::uint32_t> chiplet;     // for nodes of an IO chiplet: its index in the SIP

  PeCoord pe_coord() const { return {sip, cube, pe}; }
};

struct Edge {
  NodeId src;
  NodeId dst;
  EdgeKind kind{};
  double distance_mm = 0.0;
  Bandwidth bw;  // unlimited = no serialisation
  std::optional<double> routing_weight_mm;
};

struct Graph {
  MachineSpec spec;
  std::vector<Node> nodes;  // in compile order (T-31); the index is the NodeId
  std::vector<Edge> edges;  // in compile order; the index is the EdgeId and breaks ties between equal arrivals

  const Node& node(NodeId id) const { return nodes[id.value]; }
  const Edge& edge(EdgeId id) const { return edges[id.value]; }
  std::optional<NodeId> find_node(std::string_view id) const;
  std::optional<EdgeId> find_edge(NodeId src, NodeId dst) const;

  // Edges that leave a node, in EdgeId order (compressed rows, built by finish()).
  std::pair<const EdgeId*, const EdgeId*> out_edges(NodeId id) const;
  // Edges that enter a node, in EdgeId order.
  std::pair<const EdgeId*, const EdgeId*> in_edges(NodeId id) const;

  // The flit size of `spec`, kept here because its lookup is slow; 0 when there is no HBM controller.
  std::uint64_t flit_bytes() const { return flit_bytes_; }

  // Builds the indices for the lookups above. Called once by the compiler, after the last edge.
  void finish();

 private:
  std::uint64_t flit_bytes_ = 0;
  // sorted; has no references into nodes, so that graphs can be copied
  std::vector<std::pair<std::size_t, NodeId>> by_hash_;
  std::vector<std::uint32_t> out_row_, in_row_;
  std::vector<EdgeId> out_list_, in_list_;
};

}  // namespace kb::topology
