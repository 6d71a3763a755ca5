#include "modules/pe/slot_cost.h"

#include <algorithm>
#include <string>

#include "platform/address/phys_addr.h"
#include "platform/elab/route_table.h"

namespace kb::modules {
namespace {

double narrowest_gbs(elab::BlockContext& context, NodeId from, NodeId to) {
  double narrowest = 0.0;
  for (const EdgeId edge : context.routes.router().find_path(from, to).edges) {
    const double bw_gbs = context.graph.edge(edge).bw_gbs.value_or(0.0);
    if (bw_gbs > 0.0 && (narrowest == 0.0 || bw_gbs < narrowest)) narrowest = bw_gbs;
  }
  return narrowest;
}

}  // namespace

SlotCost::SlotCost(elab::BlockContext& context, NodeId ipcq, NodeId dma) {
  const topology::Node& self = context.graph.node(ipcq);
  for (const QueueMemory kind : {QueueMemory::tcm, QueueMemory::sram, QueueMemory::hbm}) {
    const std::string& name = name_of(kind);
    Memory& memory = memories_[static_cast<std::size_t>(kind)];
    memory.setup = ns_to_fs(self.number(name + "_slot_setup_ns"));
    memory.bw_gbs = self.number(name + "_slot_bw_gbs");
    if (kind == QueueMemory::tcm) continue;
    const address::PhysAddr bank =
        kind == QueueMemory::sram
            ? address::PhysAddr::cube_sram_addr(self.sip, self.cube, 0)
            : address::PhysAddr::pe_hbm_addr(self.sip, self.cube, self.pe, 0, context.graph.spec.hbm_slice_bytes());
    memory.hop_gbs = narrowest_gbs(context, dma, context.routes.resolver().resolve(bank, 1));
  }
}

TimeFs SlotCost::of(QueueMemory kind, std::uint64_t nbytes) const {
  const Memory& memory = memories_[static_cast<std::size_t>(kind)];
  return time_sum(memory.setup, time_sum(occupancy_fs(nbytes, memory.bw_gbs), occupancy_fs(nbytes, memory.hop_gbs)));
}

}  // namespace kb::modules
