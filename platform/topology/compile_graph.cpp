#include <fmt/format.h>

#include "platform/params/forwarding_params.h"
#include "platform/params/hbm_ctrl_params.h"
#include "platform/topology/compile.h"
#include "platform/topology/component_rules.h"

namespace kb::topology {
namespace {

std::size_t index_of(Side side) {
  return static_cast<std::size_t>(side);
}

std::size_t cube_index(const MachineSpec& spec, int x, int y) {
  return static_cast<std::size_t>(y) * static_cast<std::size_t>(spec.cube_mesh_w) + static_cast<std::size_t>(x);
}

// T-38: E of a cube connects to W of its eastern neighbour, S to N of the southern one; no wrap-around.
void compile_seams(GraphBuilder& builder, const MachineSpec& spec, const std::vector<CubeNodes>& cubes) {
  const auto at = [&](int x, int y) -> const CubeNodes& { return cubes[cube_index(spec, x, y)]; };
  const auto seam = [&](NodeId a, NodeId b) {
    builder.link(a, b, EdgeKind::ucie_mesh, EdgeKind::ucie_mesh, spec.ucie_seam_mm, spec.ucie_link_bw);
  };
  for (int y = 0; y < spec.cube_mesh_h; ++y) {
    for (int x = 0; x < spec.cube_mesh_w; ++x) {
      if (x + 1 < spec.cube_mesh_w) seam(at(x, y).ucie[index_of(Side::E)], at(x + 1, y).ucie[index_of(Side::W)]);
      if (y + 1 < spec.cube_mesh_h) seam(at(x, y).ucie[index_of(Side::S)], at(x, y + 1).ucie[index_of(Side::N)]);
    }
  }
}

// T-36
void compile_io_ports(GraphBuilder& builder, const MachineSpec& spec, const std::vector<IoNodes>& io,
                      const std::vector<CubeNodes>& cubes) {
  for (std::size_t i = 0; i < io.size(); ++i) {
    const IoChipletSpec& chiplet = spec.io_chiplets[i];
    for (std::size_t p = 0; p < chiplet.cube_ports.size(); ++p) {
      const CubePortSpec& port = chiplet.cube_ports[p];
      const std::size_t cube = cube_index(spec, port.cube_x, port.cube_y);
      builder.link(io[i].phys[p], cubes[cube].ucie[index_of(port.cube_side)], EdgeKind::io_to_cube,
                   EdgeKind::cube_to_io, port.distance_mm, chiplet.per_connection_bw);
    }
  }
}

}  // namespace

BlockTemplate make_template(NodeKind kind, const ComponentSpec& component) {
  BlockTemplate out;
  out.kind = kind;
  out.impl = component.impl;
  out.params = component.params;
  out.impl_params = component.impl_params;
  out.foreign = component.foreign;
  out.overhead = overhead_of(component.params);
  return out;
}

Templates::Templates(const MachineSpec& spec) {
  const auto cube = [&](const char* name, NodeKind kind) { return make_template(kind, spec.cube_components.at(name)); };
  const KindSchema& host_rule = kind_rule(NodeKind::host);
  host = make_template(NodeKind::host, {"host", host_rule.impl, params::ParamSet(host_rule.fields), {}});
  switch_node = make_template(NodeKind::switch_, spec.switch_component);
  ComponentSpec routers = spec.cube_components.at("noc_router");
  routers.params = routers.params.with<params::ForwardingParams>(
      [&](params::ForwardingParams& params) { params.overhead = Nanoseconds(spec.router_overhead_ns); });
  router = make_template(NodeKind::noc_router, routers);
  m_cpu = cube("m_cpu", NodeKind::m_cpu);
  sram = cube("sram", NodeKind::sram);
  // T-34: uses the bandwidth before efficiency, so that for an efficiency below 1 the edge is the limit instead of the
  // channels.
  ComponentSpec controller = spec.cube_components.at("hbm_ctrl");
  controller.params = controller.params.with<params::HbmCtrlParams>([&](params::HbmCtrlParams& params) {
    params.pc_bw = spec.hbm_to_router_bw / static_cast<double>(params.num_pcs);
  });
  hbm_ctrl = make_template(NodeKind::hbm_ctrl, controller);
  if (spec.hbm_mapping_mode == HbmMapping::one_to_one) {
    for (int i = 0; i < spec.hbm_channels_per_pe; ++i) {
      channels.push_back(make_template(NodeKind::channel_router, routers));
      channels.back().channel = i;
    }
  }
  ucie = make_template(NodeKind::ucie, spec.ucie);
  ucie_conn = cube("ucie_conn", NodeKind::ucie_conn);
  for (NodeKind kind : pe_block_kinds(spec)) {
    pe.push_back(make_template(kind, spec.pe_components.at(std::string(node_kind_name(kind)))));
  }
  for (const IoChipletSpec& chiplet : spec.io_chiplets) {
    io.push_back({make_template(NodeKind::pcie_ep, chiplet.pcie_ep), make_template(NodeKind::io_cpu, chiplet.io_cpu),
                  make_template(NodeKind::io_noc, chiplet.io_noc), make_template(NodeKind::ucie, chiplet.io_ucie),
                  make_template(NodeKind::ucie_conn, chiplet.ucie_conn)});
  }
}

NodeId GraphBuilder::add(std::string id, const BlockTemplate& block, const Owner& owner, std::optional<Position> pos) {
  Node node;
  node.id = std::move(id);
  node.kind = block.kind;
  node.impl = block.impl;
  node.params = block.params;
  node.impl_params = block.impl_params;
  node.foreign = block.foreign;
  node.overhead = block.overhead;
  node.channel = block.channel;
  node.pos_mm = pos;
  node.sip = owner.sip;
  node.cube = owner.cube;
  node.pe = owner.pe;
  graph.nodes.push_back(std::move(node));
  return NodeId(static_cast<std::uint32_t>(graph.nodes.size() - 1));
}

void GraphBuilder::edge(NodeId src, NodeId dst, EdgeKind kind, double distance_mm, Bandwidth bw) {
  Edge edge;
  edge.src = src;
  edge.dst = dst;
  edge.kind = kind;
  edge.distance_mm = distance_mm;
  edge.bw = bw;
  graph.edges.push_back(edge);
}

void GraphBuilder::link(NodeId a, NodeId b, EdgeKind forward, EdgeKind backward, double distance_mm, Bandwidth bw) {
  edge(a, b, forward, distance_mm, bw);
  edge(b, a, backward, distance_mm, bw);
}

Graph compile_graph(const MachineSpec& spec, const MeshLayout& mesh) {
  GraphBuilder builder;
  builder.graph.spec = spec;
  const Templates templates(spec);
  const NodeId tray_switch = builder.add("fabric.switch0", templates.switch_node, {});
  builder.add("host", templates.host, {});
  std::vector<NodeId> endpoints;
  for (std::uint32_t s = 0; s < static_cast<std::uint32_t>(spec.sip_count); ++s) {
    std::vector<IoNodes> io;
    for (std::size_t i = 0; i < spec.io_chiplets.size(); ++i) {
      io.push_back(compile_io_chiplet(builder, spec, templates, SipId(s), i));
      endpoints.push_back(io.back().pcie_ep);
    }
    std::vector<CubeNodes> cubes;
    for (std::uint32_t c = 0; c < static_cast<std::uint32_t>(spec.cubes_per_sip()); ++c) {
      cubes.push_back(compile_cube(builder, spec, mesh, templates, SipId(s), CubeId(c)));
    }
    compile_seams(builder, spec, cubes);
    compile_io_ports(builder, spec, io, cubes);
  }
  for (NodeId endpoint : endpoints) {
    builder.link(tray_switch, endpoint, EdgeKind::pcie, EdgeKind::pcie, spec.io_ep_to_switch_mm,
                 spec.io_ep_to_switch_bw);
  }
  for (Edge& edge : builder.graph.edges) {
    if (spec.routing_weight_mm.empty()) break;
    const auto weight = spec.routing_weight_mm.find(std::string(edge_kind_name(edge.kind)));
    if (weight != spec.routing_weight_mm.end()) edge.routing_weight_mm = weight->second;
  }
  builder.graph.finish();
  return std::move(builder.graph);
}

}  // namespace kb::topology
