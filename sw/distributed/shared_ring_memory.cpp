#include "sw/distributed/shared_ring_memory.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sw/distributed/queue_plan.h"

namespace kb::sw {

std::size_t QueueInstaller::add_part() {
  parts_.emplace_back();
  laid_.push_back(nullptr);
  return parts_.size() - 1;
}

void QueueInstaller::lay(std::size_t part, const contract::QueuePlan& queues) {
  contract::QueuePlan all = queues;  // takes over the rules, which all parts share
  all.pes.clear();
  for (std::size_t i = 0; i < parts_.size(); ++i) add_queues(all, i == part ? queues : parts_[i]);
  verify_queue_plan(all, host_.machine());
  laid_[part] = nullptr;
  host_.install_queues(all);
  parts_[part] = queues;
  laid_[part] = &queues;
}

void QueueInstaller::clear(std::size_t part) {
  laid_[part] = nullptr;
  if (parts_[part].pes.empty()) return;
  contract::QueuePlan none = parts_[part];  // keeps the rules
  none.pes.clear();
  lay(part, none);
  laid_[part] = nullptr;
}

namespace {

std::uint64_t slots_of(const PoolWiring& wiring, const topology::CclConfig& config) {
  return wiring.wiring.directions.size() * config.n_slots;
}

// Slot size for rings in `room` bytes; 0 when they do not fit.
std::uint64_t slot_size(const PoolWiring& wiring, const topology::CclConfig& config,
                        const contract::MachineInfo& machine, std::uint64_t room) {
  const std::uint64_t slots = slots_of(wiring, config);
  if (slots == 0) return 0;
  const std::uint64_t most = wiring.slot_size > 0 ? wiring.slot_size : kMaxPoolSlotBytes, fits = room / slots;
  if (fits >= most) return most;
  return fits < std::min(most, kLeastPoolSlotBytes) ? 0 : fits - fits % std::min(fits, machine.hbm_alignment);
}

std::uint64_t needed(const std::vector<PoolWiring>& wirings, const topology::CclConfig& config,
                     const contract::MachineInfo& machine, std::uint64_t room) {
  std::uint64_t bytes = 0;
  for (const PoolWiring& wiring : wirings) {
    bytes = std::max(bytes, slots_of(wiring, config) * slot_size(wiring, config, machine, room));
  }
  return bytes;
}

// All PEs that at least one of the wirings links.
std::vector<PeCoord> linked_pes(const std::vector<PoolWiring>& wirings) {
  std::set<PeCoord> pes;
  for (const auto& [wiring, slot] : wirings) {
    for (const WiredRank& rank : wiring.ranks) {
      if (!rank.links.empty()) pes.insert(rank.pe);
    }
  }
  return {pes.begin(), pes.end()};
}

}  // namespace

SharedRingMemory make_ring_pool(const std::vector<PoolWiring>& wirings, const topology::CclConfig& config,
                                const contract::MachineInfo& machine, DeviceMemory& memory, std::uint64_t room) {
  const std::vector<PeCoord> pes = linked_pes(wirings);
  SharedRingMemory pool;
  std::uint64_t bytes = needed(wirings, config, machine, room);
  std::vector<PeBlock> places;
  if (bytes > 0) {
    PeBlocks blocks = pe_blocks(pes, config.buffer_kind, bytes);
    // Each round finds the next PE with less room.
    while (bytes > 0) {
      const auto shortage = memory.shortage(config.buffer_kind, blocks.requests);
      if (!shortage) break;
      const std::uint64_t sharing = std::max<std::uint64_t>(1, shortage->request.nbytes / bytes);
      room = std::min(bytes - 1, shortage->largest_free_block / sharing);
      bytes = needed(wirings, config, machine, room);
      blocks = pe_blocks(pes, config.buffer_kind, bytes);
    }
    if (bytes > 0) {
      pool.memory = memory.reserve(config.buffer_kind, blocks.requests);
      places = std::move(blocks.places);
    }
  }
  for (const PoolWiring& wiring : wirings) {
    RingLayout laid;
    laid.slot_size = bytes == 0 ? 0 : slot_size(wiring, config, machine, room);
    if (laid.slot_size > 0) {
      laid.queues = lay_queues(wiring.wiring, config, laid.slot_size, pool.memory, pes, places);
      verify_queue_plan(laid.queues, machine);
    }
    pool.layouts.push_back(std::move(laid));
  }
  return pool;
}

}  // namespace kb::sw
