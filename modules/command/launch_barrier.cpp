#include "modules/command/launch_barrier.h"

#include <algorithm>

#include "platform/contract/kernel_launch.h"
#include "platform/elab/route_table.h"

namespace kb::modules {
namespace {

TimeFs overhead_of(const elab::BlockContext& context, NodeId node) {
  return context.graph.node(node).overhead;
}

TimeFs formula(elab::BlockContext& context, NodeId from, NodeId to) {
  return context.routes.command(from, to).formula_fs;
}

}  // namespace

TimeFs cube_launch_latency(elab::BlockContext& context, NodeId m_cpu, SipId sip, CubeId cube,
                           const std::vector<PeId>& pes) {
  TimeFs latest = 0_fs;
  for (PeId pe : pes) {
    const NodeId target = context.routes.resolver().find_pe_node({sip, cube, pe}, topology::NodeKind::pe_cpu);
    latest = std::max(latest, formula(context, m_cpu, target));
  }
  return latest - overhead_of(context, m_cpu);
}

TimeFs start_latency(elab::BlockContext& context, SipId sip, const std::vector<CubeId>& cubes) {
  TimeFs to_m_cpu = 0_fs, between = 0_fs, to_pe = 0_fs;
  const auto pes = static_cast<std::uint32_t>(context.graph.spec.pes_per_cube());
  for (const CubeId cube : cubes) {
    const NodeId m_cpu = context.routes.resolver().find_m_cpu(sip, cube);
    for (std::uint32_t pe = 0; pe < pes; ++pe) {
      const NodeId cpu = context.routes.resolver().find_pe_node({sip, cube, PeId(pe)}, topology::NodeKind::pe_cpu);
      to_m_cpu = std::max(to_m_cpu, formula(context, cpu, m_cpu));
      to_pe = std::max(to_pe, formula(context, m_cpu, cpu) - overhead_of(context, m_cpu));
    }
    for (const CubeId other : cubes) {
      if (other == cube) continue;
      const NodeId target = context.routes.resolver().find_m_cpu(sip, other);
      between = std::max(between, formula(context, m_cpu, target) - overhead_of(context, m_cpu));
    }
  }
  return time_sum(to_m_cpu, time_sum(between, to_pe));
}

TimeFs launch_latency(elab::BlockContext& context, NodeId io_cpu, SipId sip, const std::vector<CubeId>& cubes,
                      const std::vector<PeId>& pes) {
  TimeFs latest = 0_fs;
  for (CubeId cube : cubes) {
    const NodeId m_cpu = context.routes.resolver().find_m_cpu(sip, cube);
    latest = std::max(latest,
                      time_sum(formula(context, io_cpu, m_cpu), cube_launch_latency(context, m_cpu, sip, cube, pes)));
  }
  return latest - overhead_of(context, io_cpu);
}

TimeFs common_launch_start(elab::BlockContext& context, const std::vector<contract::KernelLaunch>& launches,
                           TimeFs now) {
  TimeFs start = now;
  for (const contract::KernelLaunch& launch : launches) {
    const routing::AddressResolver& resolver = context.routes.resolver();
    const NodeId io_cpu = resolver.find_io_cpu(launch.sip);
    const TimeFs to_io_cpu = formula(context, resolver.find_pcie_ep(launch.sip), io_cpu);
    const TimeFs from_io_cpu = launch_latency(context, io_cpu, launch.sip, launch.cubes, launch.pes);
    start = std::max(start, time_sum(now, time_sum(to_io_cpu, from_io_cpu)));
  }
  return start;
}

}  // namespace kb::modules
