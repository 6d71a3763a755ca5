// HostPort: costs of messages between PEs, by which the host program chooses: those of the planning machine.
#include <algorithm>
#include <string>

#include "platform/engine/built_in_engines.h"
#include "platform/params/pe_ipcq_params.h"
#include "platform/params/pe_math_params.h"
#include "platform/routing/latency.h"
#include "platform/routing/uncontended_transfer.h"
#include "sim/run/host/host_port.h"

namespace kb::sim {
namespace {

using topology::NodeKind;

params::PeIpcqParams::SlotCost slot_cost(const params::PeIpcqParams& params, QueueMemory memory) {
  if (memory == QueueMemory::tcm) return params.tcm_slot();
  return memory == QueueMemory::sram ? params.sram_slot() : params.hbm_slot();
}

}  // namespace

contract::MessageRoute HostPort::message_route(const PeCoord& from, const PeCoord& to) {
  const topology::Graph& graph = platform_.plan();
  elab::RouteTable& routes = platform_.routes();
  const NodeId source = routes.resolver().find_pe_node(from, NodeKind::pe_dma);
  const NodeId target = routes.resolver().find_pe_node(to, NodeKind::pe_dma);
  const routing::Route& there = routes.router().find_path(source, target);
  contract::MessageRoute route;
  route.flit_bytes = graph.spec.flit_bytes();
  route.latency = routing::one_flit_latency_fs(graph, there, 0);
  for (const EdgeId id : there.edges) {
    const topology::Edge& edge = graph.edge(id);
    const bool stored = edge.dst != target && graph.node(edge.dst).kind == NodeKind::pcie_ep;
    route.wires.push_back({id.value, edge.bw, stored});
  }
  constexpr std::uint64_t kCreditBytes = 16;
  route.credit = routing::one_flit_latency_fs(graph, routes.router().find_path(target, source), kCreditBytes);
  return route;
}

contract::PeCosts HostPort::pe_costs(QueueMemory memory, Dtype dtype) {
  const topology::Graph& graph = platform_.plan();
  elab::RouteTable& routes = platform_.routes();
  const PeCoord pe{SipId(0), CubeId(0), PeId(0)};
  const topology::Node& queues = graph.node(routes.resolver().find_pe_node(pe, NodeKind::pe_ipcq));
  const engine::EngineId adder = engine::math_command(MathOp::add).engine;
  const topology::Node& math = graph.node(routes.resolver().find_pe_node(pe, topology::engine_kind(adder)));
  const NodeId dma = routes.resolver().find_pe_node(pe, NodeKind::pe_dma);
  const routing::Route& to_hbm = routes.router().find_path(dma, routes.resolver().find_hbm(pe));
  contract::PeCosts costs;
  const params::PeIpcqParams::SlotCost slot = slot_cost(queues.params.as<params::PeIpcqParams>(), memory);
  costs.slot_setup = slot.setup.time();
  costs.slot_ns_per_byte = slot.bw.ns_per_byte();
  if (memory == QueueMemory::hbm) {
    costs.slot_ns_per_byte += routing::narrowest_bw(graph, to_hbm).ns_per_byte();
  } else if (memory == QueueMemory::sram) {
    const routing::Route& to_sram = routes.router().find_path(dma, routes.resolver().find_sram(pe.sip, pe.cube));
    costs.slot_ns_per_byte += routing::narrowest_bw(graph, to_sram).ns_per_byte();
  }
  const std::uint64_t flit = graph.spec.flit_bytes();
  costs.memory_bw = routing::narrowest_bw(graph, to_hbm);
  costs.memory_latency =
      routing::uncontended_read(routing::transfer_path(graph, to_hbm), flit).answered - costs.memory_bw.occupancy(flit);
  costs.additions = math.params.as<params::PeMathParams>().elements_per_ns.of(dtype);
  return costs;
}

}  // namespace kb::sim
