// HostPort: message queues.
#include <fmt/format.h>

#include <set>

#include "platform/address/address_config.h"
#include "platform/address/address_space.h"
#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/contract/queues.h"
#include "platform/routing/address_resolver.h"
#include "sim/run/host/host_port.h"

namespace kb::sim {
namespace {

// a ring is in implemented memory of its kind and of its owner.
void check_ring(const contract::QueueRing& ring, const address::AddressConfig& config, const std::string& what) {
  if (ring.n_slots < 1 || ring.slot_size < 1) {
    throw Error::program("QUEUE_ERROR", what + " has no slots; n_slots and slot_size are at least 1");
  }
  const address::PhysAddr at = address::PhysAddr::decode(ring.base_pa);
  config.require_implemented(at, ring.nbytes());
  const bool kind = ring.memory == QueueMemory::tcm    ? at.is_tcm()
                    : ring.memory == QueueMemory::sram ? at.is_sram()
                                                       : at.is_hbm();
  if (kind && at.sip() == ring.owner.sip) return;
  throw Error::program("QUEUE_ERROR", fmt::format("{} is to lie in the {} of {}, but its address is {}", what,
                                                  name_of(ring.memory), pe_name(ring.owner), at.to_string()));
}

}  // namespace

void HostPort::install_queues(const contract::QueuePlan& plan) {
  const topology::MachineSpec& spec = platform_.graph().spec;
  const address::AddressConfig config = address::AddressConfig::from_spec(spec);
  std::vector<elab::IQueueControl*> blocks;
  elab::IQueueControl::Senders senders;
  for (const contract::PeQueues& pe : plan.pes) {
    if (pe.pe.sip.value >= config.sips || pe.pe.cube.value >= config.cubes_per_sip ||
        pe.pe.pe.value >= config.pes_per_cube) {
      throw Error::program("ADDRESS_ERROR", "queues for " + pe_name(pe.pe) + ", which this machine does not have");
    }
    for (const contract::QueuePair& pair : pe.pairs) {
      const std::string what = fmt::format("the ring of {} in direction '{}'", pe_name(pe.pe), pair.direction);
      if (pair.own) check_ring(*pair.own, config, what);
      if (!pair.peer) continue;
      check_ring(*pair.peer, config, what + " (its neighbour's)");
      senders[pair.peer->base_pa] = pe.pe;
    }
    const NodeId node = platform_.routes().resolver().find_pe_node(pe.pe, topology::NodeKind::pe_ipcq);
    blocks.push_back(&platform_.block_as<elab::IQueueControl>(node));
  }
  const std::set<elab::IQueueControl*> stay(blocks.begin(), blocks.end());
  for (elab::IQueueControl* block : queues_) {
    if (stay.count(block) == 0) block->remove();
  }
  queues_ = std::move(blocks);
  for (std::size_t i = 0; i < queues_.size(); ++i) queues_[i]->install(plan.pes[i], plan, senders);
}

}  // namespace kb::sim
