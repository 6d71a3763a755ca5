#include <fmt/format.h>

#include "platform/base/node_coord.h"
#include "platform/topology/compile.h"

namespace kb::topology {

// T-35: io_noc connects pcie_ep, io_cpu and the connections of every PHY.
IoNodes compile_io_chiplet(GraphBuilder& builder, const MachineSpec& spec, const Templates& templates, SipId sip,
                           std::size_t index) {
  const IoChipletSpec& chiplet = spec.io_chiplets[index];
  const Templates::Io& io = templates.io[index];
  const std::size_t first = builder.graph.nodes.size();
  Owner owner;
  owner.sip = sip;
  const std::string prefix = part_name({sip, chiplet.id, CubeId(), PeId()}) + ".";
  IoNodes nodes;
  nodes.pcie_ep = builder.add(prefix + "pcie_ep", io.pcie_ep, owner);
  const NodeId io_cpu = builder.add(prefix + "io_cpu", io.io_cpu, owner);
  const NodeId io_noc = builder.add(prefix + "io_noc", io.io_noc, owner);
  builder.link(nodes.pcie_ep, io_noc, EdgeKind::io_internal, EdgeKind::io_internal, 0.0, chiplet.pcie_ep_to_noc_bw);
  builder.link(io_cpu, io_noc, EdgeKind::io_internal, EdgeKind::io_internal, 0.0, chiplet.io_cpu_to_noc_bw);
  for (const CubePortSpec& port : chiplet.cube_ports) {
    const std::string name = fmt::format("{}io_ucie-{}", prefix, port.phy);
    const NodeId endpoint = builder.add(name, io.ucie, owner);
    nodes.phys.push_back(endpoint);
    for (int c = 0; c < chiplet.n_connections; ++c) {
      const NodeId connection = builder.add(fmt::format("{}.conn{}", name, c), io.ucie_conn, owner);
      builder.graph.nodes[connection.value].connection = static_cast<std::uint32_t>(c);
      builder.link(connection, io_noc, EdgeKind::ucie_conn_to_noc, EdgeKind::noc_to_ucie_conn, 0.0, kNoLimit);
      builder.link(connection, endpoint, EdgeKind::ucie_internal, EdgeKind::ucie_internal, 0.0, kNoLimit);
    }
  }
  for (std::size_t i = first; i < builder.graph.nodes.size(); ++i) {
    builder.graph.nodes[i].chiplet = static_cast<std::uint32_t>(index);
  }
  return nodes;
}

}  // namespace kb::topology
