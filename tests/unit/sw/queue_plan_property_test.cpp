#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "platform/address/phys_addr.h"
#include "platform/base/units.h"
#include "platform/contract/queues.h"
#include "platform/contract/tensor_layout.h"
#include "sw/distributed/queue_plan.h"

namespace kb::sw {
namespace {

using contract::PeQueues;
using contract::QueuePair;
using topology::CclConfig;

contract::MachineInfo any_machine() {
  contract::MachineInfo machine;
  machine.sip_w = *rc::gen::inRange(1, 4);
  machine.sip_h = *rc::gen::inRange(1, 4);
  machine.sips = machine.sip_w * machine.sip_h;
  machine.sip_topology = *rc::gen::element(SipTopology::ring_1d, SipTopology::torus_2d, SipTopology::mesh_2d_no_wrap);
  machine.cube_mesh_w = *rc::gen::inRange(1, 4);
  machine.cube_mesh_h = *rc::gen::inRange(1, 4);
  machine.cubes_per_sip = machine.cube_mesh_w * machine.cube_mesh_h;
  machine.pes_per_cube = *rc::gen::inRange(1, 9);
  machine.hbm_slice_bytes = 16 * kMiB;
  machine.tcm_bytes = 16 * kMiB;
  machine.scratch_bytes = kMiB;
  machine.sram_bytes = 32 * kMiB;
  return machine;
}

CclConfig any_config(const contract::MachineInfo& machine) {
  CclConfig config;
  config.wiring = *rc::gen::element(topology::WiringPreset::intercube_multisip, topology::WiringPreset::intracube_ring,
                                    topology::WiringPreset::flat);
  config.intra_cube =
      *rc::gen::element(topology::IntraCube::none, topology::IntraCube::ring, topology::IntraCube::mesh);
  if (config.wiring == topology::WiringPreset::flat) {
    config.topology = *rc::gen::element(topology::RankTopology::ring_1d, topology::RankTopology::ring_1d_unidir,
                                        topology::RankTopology::torus_2d, topology::RankTopology::mesh_2d_no_wrap,
                                        topology::RankTopology::tree_binary);
    config.world_size = *rc::gen::inRange(1, machine.sips * machine.cubes_per_sip * machine.pes_per_cube + 1);
    config.w = *rc::gen::inRange(1, 5);
    while (config.world_size % config.w != 0) --config.w;
    config.h = config.world_size / config.w;
  }
  config.buffer_kind = *rc::gen::element(QueueMemory::tcm, QueueMemory::sram, QueueMemory::hbm);
  config.n_slots = *rc::gen::inRange(1u, 9u);
  config.slot_size = *rc::gen::inRange<std::uint64_t>(1, 5000);
  return config;
}

// The message queue protocol's own view: whoever's window holds the first and the last byte of every slot.
const QueuePair* reader_of(const contract::QueuePlan& plan, const contract::QueueRing& ring, std::uint64_t message) {
  const std::uint64_t first = ring.slot_pa(message);
  const QueuePair* found = nullptr;
  for (const PeQueues& queues : plan.pes) {
    if (!(queues.pe == ring.owner)) continue;
    for (const QueuePair& pair : queues.pairs) {
      if (!pair.own) continue;
      const std::uint64_t end = pair.own->base_pa + pair.own->n_slots * pair.own->slot_size;
      if (first < pair.own->base_pa || first + ring.slot_size > end) continue;
      RC_ASSERT(found == nullptr);
      found = &pair;
    }
  }
  return found;
}

RC_GTEST_PROP(QueuePlanProperty, EverySendRingIsReadByThePeerUnderThePairedDirection, ()) {
  const contract::MachineInfo machine = any_machine();
  const CclConfig config = any_config(machine);
  DeviceMemory memory(machine);
  const PlannedQueues queues = plan_queues(make_wiring(config, machine), config, machine, memory);
  std::size_t own = 0;
  std::set<const QueuePair*> read;
  for (const PeQueues& at : queues.plan.pes) {
    for (const QueuePair& pair : at.pairs) {
      if (pair.own) ++own;
      if (!pair.peer) continue;
      const QueuePair* reader = reader_of(queues.plan, *pair.peer, 0);
      RC_ASSERT(reader != nullptr);
      for (std::uint64_t s = 1; s <= config.n_slots; ++s) RC_ASSERT(reader_of(queues.plan, *pair.peer, s) == reader);
      RC_ASSERT(read.insert(reader).second);
      // The credit finds the sender by the base of the ring, and an answer comes back to the same pair.
      RC_ASSERT(reader->own->base_pa == pair.peer->base_pa);
      RC_ASSERT(reader->peer.has_value() == pair.own.has_value());
      if (pair.own) RC_ASSERT(reader_of(queues.plan, *reader->peer, 0) == &pair);
    }
  }
  RC_ASSERT(read.size() == own);
}

// Rings and tensors that were there before and come later, all against all.
RC_GTEST_PROP(QueuePlanProperty, RingsAndTensorsAreDisjointAndDecodeToTheirOwners, ()) {
  const contract::MachineInfo machine = any_machine();
  const CclConfig config = any_config(machine);
  DeviceMemory memory(machine);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  std::vector<contract::Shard> tensors;
  const auto tensor = [&] {
    ShardSpec shard;
    shard.owner = {SipId(0), CubeId(0), PeId(0)};
    shard.nbytes = *rc::gen::inRange<std::uint64_t>(1, 3000);
    const std::vector<contract::Shard> shards = memory.allocate("t", {shard});
    ranges.emplace_back(shards[0].pa, shards[0].pa + shards[0].nbytes);
    tensors.push_back(shards[0]);
  };
  {
    tensor();
    const Wiring wiring = make_wiring(config, machine);
    const PlannedQueues first = plan_queues(wiring, config, machine, memory);
    tensor();
    const PlannedQueues second = plan_queues(wiring, config, machine, memory);  // beside the first
    for (const PlannedQueues* queues : {&first, &second}) {
      for (const PeQueues& at : queues->plan.pes) {
        for (const QueuePair& pair : at.pairs) {
          if (!pair.own) continue;
          ranges.emplace_back(pair.own->base_pa, pair.own->base_pa + config.n_slots * config.slot_size);
          const auto decoded = address::PhysAddr::decode(pair.own->base_pa);
          RC_ASSERT(decoded.sip() == at.pe.sip && decoded.cube() == at.pe.cube);
          if (decoded.is_tcm()) RC_ASSERT(decoded.pe() == at.pe.pe);
          if (decoded.is_hbm()) RC_ASSERT(decoded.hbm_offset() / machine.hbm_slice_bytes == at.pe.pe.value);
        }
      }
    }
    const std::size_t sample = std::min<std::size_t>(ranges.size(), 300);
    for (std::size_t a = 0; a < sample; ++a) {
      for (std::size_t b = a + 1; b < ranges.size(); ++b) {
        RC_ASSERT(ranges[a].second <= ranges[b].first || ranges[b].second <= ranges[a].first);
      }
    }
  }
  memory.free(tensors);
  RC_ASSERT(memory.pristine());
}

}  // namespace
}  // namespace kb::sw
