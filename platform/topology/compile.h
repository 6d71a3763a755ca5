// Compiles a checked spec into the graph, stage by stage (T-31). Only these functions create node names (T-40).
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/topology/graph.h"
#include "platform/topology/mesh_layout.h"

namespace kb::topology {

// Nodes of one template share their parameters.
struct BlockTemplate {
  NodeKind kind{};
  std::string impl;
  params::ParamSet params;
  params::ParamSet impl_params;
  bool foreign = false;
  TimeFs overhead = 0_fs;
  std::optional<std::int64_t> channel;
};
BlockTemplate make_template(NodeKind kind, const ComponentSpec& component);

// The part of the machine that a node belongs to; unset ids are not valid.
struct Owner {
  SipId sip;
  CubeId cube;
  PeId pe;
};

class GraphBuilder {
 public:
  NodeId add(std::string id, const BlockTemplate& block, const Owner& owner,
             std::optional<Position> pos = std::nullopt);
  // Adds one directed edge. An unlimited bandwidth means no serialisation.
  void edge(NodeId src, NodeId dst, EdgeKind kind, double distance_mm, Bandwidth bw);
  // Adds a link: `forward` from a to b, `backward` from b to a.
  void link(NodeId a, NodeId b, EdgeKind forward, EdgeKind backward, double distance_mm, Bandwidth bw);

  Graph graph;
};

inline constexpr Bandwidth kNoLimit;

// Templates of all blocks that are repeated per SIP.
struct Templates {
  explicit Templates(const MachineSpec& spec);
  BlockTemplate host, switch_node, router, m_cpu, sram, hbm_ctrl, ucie, ucie_conn;
  std::vector<BlockTemplate> channels;  // routers of a PE's HBM channels; empty unless one_to_one (T-56)
  std::vector<BlockTemplate> pe;        // in the order of pe_block_kinds()
  struct Io {
    BlockTemplate pcie_ep, io_cpu, io_noc, ucie, ucie_conn;
  };
  std::vector<Io> io;
};

struct CubeNodes {
  std::array<NodeId, 4> ucie;  // protocol endpoints, indexed by Side
};
struct IoNodes {
  NodeId pcie_ep;
  std::vector<NodeId> phys;  // protocol endpoints in the order of cube_ports
};

IoNodes compile_io_chiplet(GraphBuilder& builder, const MachineSpec& spec, const Templates& templates, SipId sip,
                           std::size_t index);
CubeNodes compile_cube(GraphBuilder& builder, const MachineSpec& spec, const MeshLayout& mesh,
                       const Templates& templates, SipId sip, CubeId cube);

// Compiles the whole machine. The spec must have passed check_machine.
Graph compile_graph(const MachineSpec& spec, const MeshLayout& mesh);

}  // namespace kb::topology
