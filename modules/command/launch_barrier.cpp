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
