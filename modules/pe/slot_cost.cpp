#include "modules/pe/slot_cost.h"

#include "platform/address/phys_addr.h"
#include "platform/elab/route_table.h"
#include "platform/routing/latency.h"

namespace kb::modules {

SlotCost::SlotCost(elab::BlockContext& context, const params::PeIpcqParams& params, NodeId dma) {
  const auto memory = [&](QueueMemory kind) -> Memory& { return memories_[static_cast<std::size_t>(kind)]; };
  memory(QueueMemory::tcm) = {params.tcm_slot().setup.time(), params.tcm_slot().bw, {}};
  memory(QueueMemory::sram) = {params.sram_slot().setup.time(), params.sram_slot().bw, {}};
  memory(QueueMemory::hbm) = {params.hbm_slot().setup.time(), params.hbm_slot().bw, {}};
  const topology::Node& self = context.graph.node(dma);
  const auto hop = [&](const address::PhysAddr& bank) {
    const NodeId node = context.routes.resolver().resolve(bank, 1);
    return routing::narrowest_bw(context.graph, context.routes.router().find_path(dma, node));
  };
  memory(QueueMemory::sram).hop = hop(address::PhysAddr::cube_sram_addr(self.sip, self.cube, 0));
  memory(QueueMemory::hbm).hop =
      hop(address::PhysAddr::pe_hbm_addr(self.sip, self.cube, self.pe, 0, context.graph.spec.hbm_slice_bytes()));
}

TimeFs SlotCost::of(QueueMemory kind, std::uint64_t nbytes) const {
  const Memory& memory = memories_[static_cast<std::size_t>(kind)];
  return time_sum(memory.setup, time_sum(memory.slot.occupancy(nbytes), memory.hop.occupancy(nbytes)));
}

}  // namespace kb::modules
