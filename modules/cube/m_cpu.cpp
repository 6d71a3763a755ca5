#include "modules/cube/m_cpu.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "modules/command/launch_barrier.h"
#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/contract/failure_policy.h"
#include "platform/contract/kernel_launch.h"
#include "platform/elab/route_table.h"
#include "platform/routing/memory_split.h"

namespace kb::modules {

void MCpu::launch(payload::Transaction& parent, const payload::KernelLaunchMsg& request) {
  const contract::KernelLaunch& launch = *request.launch;
  const SipId sip = node_record().sip;
  const CubeId cube = node_record().cube;
  const std::string id = "#" + std::to_string(request.request);
  if (launch.pes.empty()) throw Error::program("SCHEMA_ERROR", "launch " + id + " targets no PE");
  std::vector<NodeId> targets;
  for (PeId pe : launch.receiving_pes())
    targets.push_back(context().routes.resolver().find_pe_node({sip, cube, pe}, topology::NodeKind::pe_cpu));

  std::shared_ptr<const payload::Message> message = parent.message;
  if (request.target_start == kNever && !launch.start_barrier) {
    payload::KernelLaunchMsg stamped = request;
    stamped.target_start = now() + cube_launch_latency(context(), node(), sip, cube, launch.pes);
    message = payload::share(std::move(stamped));
  }
  fan_out(parent, "launch " + id + " of kernel " + launch.name(), launch.failure_policy,
          to_pes(launch.receiving_pes(), targets, message));
}

void MCpu::map(payload::Transaction& parent, const payload::TranslationMsg& request) {
  std::vector<PeId> pes = request.pes;
  if (pes.empty()) {
    const auto count = static_cast<std::uint32_t>(context().graph.spec.pes_per_cube());
    for (std::uint32_t pe = 0; pe < count; ++pe) pes.emplace_back(pe);
  }
  const bool to_mmu = std::holds_alternative<payload::MmuMapMsg>(*parent.message);
  const topology::NodeKind holder = to_mmu ? topology::NodeKind::pe_mmu : topology::NodeKind::pe_dma;
  std::vector<NodeId> targets;
  targets.reserve(pes.size());
  for (PeId pe : pes) {
    targets.push_back(context().routes.resolver().find_pe_node({node_record().sip, node_record().cube, pe}, holder));
  }
  fan_out(parent, std::string(payload::translation_verb(*parent.message)) + " #" + std::to_string(request.request),
          contract::FailurePolicy::fail_fast, to_pes(pes, targets, parent.message));
}

void MCpu::memory(payload::Transaction& parent, TimeFs) {
  std::vector<SubRequest> requests;
  const bool write = parent.op == payload::Op::write;
  for (const routing::MemoryPart& part :
       routing::split_access(context().routes.resolver(), parent.address, parent.bytes)) {
    const payload::FabricRoute& route = context().routes.mcpu_dma(node(), part.memory);
    const topology::Node& memory = context().graph.node(part.memory);
    const routing::Route& path = context().routes.router().find_mcpu_dma_path(node(), part.memory);
    dma_transfer_max_ = std::max(dma_transfer_max_, routing::drain_fs(context().graph, path, part.nbytes));
    requests.push_back({&route,
                        nullptr,
                        part.pa,
                        part.hbm_offset,
                        part.nbytes,
                        {memory.id, memory.id, {memory.sip, memory.cube, PeId{}}}});
  }
  fan_out(parent, std::string(write ? "write" : "read") + " #" + std::to_string(parent.id),
          contract::FailurePolicy::fail_fast, std::move(requests), "memories");
}

std::vector<CommandProcessor::SubRequest> MCpu::to_pes(const std::vector<PeId>& pes, const std::vector<NodeId>& targets,
                                                       const std::shared_ptr<const payload::Message>& message) {
  std::vector<SubRequest> requests;
  requests.reserve(pes.size());
  for (std::size_t i = 0; i < pes.size(); ++i) {
    const PeCoord at{node_record().sip, node_record().cube, pes[i]};
    requests.push_back(
        {command_route(targets[i]), message, 0, 0, 0, {"pe" + std::to_string(pes[i].value), pe_name(at), at}});
  }
  return requests;
}

void MCpu::barrier(payload::Transaction& arrival, const payload::BarrierMsg& message) {
  if (!message.from.pe.valid()) {
    respond(arrival, now());
    return cube_there(message);
  }
  if (!all_there(arrival, message, message.pes, "pe" + std::to_string(message.from.pe.value))) return;
  if (message.exchange && message.cubes == 1) return open_start_barrier(message, barrier_reached(message.request));
  if (message.scope == contract::BarrierScope::cube || message.cubes == 1) return open_barrier(message);
  payload::BarrierMsg cube = message;
  cube.from.pe = PeId{};
  cube.reached = barrier_reached(message.request);
  send_on(cube);
  if (cube.exchange) cube_there(cube);
}

// The PEs of this cube, or of another that told it, are at the barrier before a queued launch.
void MCpu::cube_there(const payload::BarrierMsg& message) {
  const std::string name = "cube" + std::to_string(message.from.cube.value);
  if (!cubes_.arrive(nullptr, message, message.cubes, name, now())) return;
  const TimeFs reached = cubes_.reached(message.request);
  cubes_.open(message.request);
  open_start_barrier(message, reached);
}

// Every M_CPU gives its PEs the same stamp.
void MCpu::open_start_barrier(const payload::BarrierMsg& message, TimeFs reached) {
  payload::BarrierMsg stamped = message;
  stamped.start = time_sum(reached, start_latency(context(), node_record().sip, *message.exchange));
  open_barrier(message, payload::share(std::move(stamped)));
}

void MCpu::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  CommandProcessor::collect_waits(waits);
  cubes_.collect_waits(waits);
}

void MCpu::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  CommandProcessor::collect_statistics(statistics);
  if (dma_transfer_max_ == 0_fs) return;
  statistics.push_back({"dma_transfer_max", dma_transfer_max_});
}

}  // namespace kb::modules
