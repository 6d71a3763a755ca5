#include "sw/distributed/queue_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/base/units.h"

namespace kb::sw {
namespace {

using contract::QueuePair;
using contract::QueueRing;

constexpr std::uint64_t kMaxTcmMib = 32;  // limit of the address map
constexpr std::uint64_t kMaxSramMib = 32;
constexpr std::uint64_t kSlotStep = 16;  // granularity of sizes in error messages

// The PEs that a wiring links, in ascending order.
std::vector<PeCoord> linked_pes(const Wiring& wiring) {
  std::set<PeCoord> pes;
  for (const WiredRank& rank : wiring.ranks) {
    if (!rank.links.empty()) pes.insert(rank.pe);
  }
  return {pes.begin(), pes.end()};
}

// "raise cube.memory_map.tcm_size_mb to 4, "; empty when it cannot be raised that far.
std::string larger_memory(QueueMemory memory, const DeviceMemory::Shortage& shortage,
                          const contract::MachineInfo& machine) {
  const auto mib = [](std::uint64_t bytes) { return (bytes + kMiB - 1) / kMiB; };
  const std::uint64_t used = shortage.capacity - shortage.free_bytes;
  if (memory == QueueMemory::tcm) {
    const std::uint64_t wanted =
        mib(used + shortage.request.nbytes + machine.scratch_bytes + machine.tcm_reserved_bytes);
    return wanted > kMaxTcmMib ? "" : fmt::format("raise cube.memory_map.tcm_size_mb to {}, ", wanted);
  }
  if (memory == QueueMemory::sram) {
    const std::uint64_t wanted = mib(used + shortage.request.nbytes);
    return wanted > kMaxSramMib ? "" : fmt::format("raise cube.components.sram.attrs.size_mb to {}, ", wanted);
  }
  return "";
}

std::string direction_text(const Wiring& wiring) {
  std::string text;
  for (const std::string& direction : wiring.directions) text += (text.empty() ? "" : " ") + direction;
  return text;
}

Error is_out_of_addresses(const Wiring& wiring, const topology::CclConfig& config, const contract::MachineInfo& machine,
                          QueueMemory memory, const DeviceMemory::Shortage& shortage, std::uint64_t rings_before) {
  const DeviceMemory::Request& request = shortage.request;
  const std::uint64_t rings = request.nbytes / (config.n_slots * config.slot_size);
  const std::uint64_t before = rings_before * config.n_slots * config.slot_size;
  std::uint64_t per_slot = (shortage.largest_free_block + before) / ((rings + rings_before) * config.n_slots);
  if (per_slot > kSlotStep) per_slot -= per_slot % kSlotStep;
  const std::string owner =
      memory == QueueMemory::sram ? cube_name(request.owner.sip, request.owner.cube) : pe_name(request.owner);
  const std::string message = fmt::format(
      "the message queues of {} need {} of its {} ({} rings of {} slots of {} B, directions {}), but {} of {} are free",
      owner, format_size(request.nbytes),
      memory == QueueMemory::hbm   ? "HBM slice"
      : memory == QueueMemory::tcm ? "TCM"
                                   : "SRAM",
      rings, config.n_slots, config.slot_size, direction_text(wiring), format_size(shortage.largest_free_block),
      format_bytes(shortage.capacity));
  const std::string remedy =
      fmt::format("{}{}{}reduce n_slots", larger_memory(memory, shortage, machine),
                  memory == QueueMemory::hbm ? "" : "write 'buffer_kind: hbm', ",
                  per_slot == 0 ? "" : fmt::format("reduce slot_size to at most {}, or ", per_slot));
  if (request.nbytes > shortage.capacity) return Error({config.problem_at("slot_size", message, remedy)});
  return Error::program("ALLOCATION_ERROR", fmt::format("{}; {}, or drop tensors first", message, remedy));
}

QueueRing ring_of(const Wiring& wiring, std::size_t rank, std::size_t link, const contract::QueueRing& geometry,
                  const std::vector<std::uint64_t>& bases) {
  QueueRing ring = geometry;
  ring.owner = wiring.ranks[rank].pe;
  ring.base_pa = bases[rank] + wiring.ranks[rank].links[link].direction * geometry.nbytes();
  return ring;
}

std::vector<contract::PeQueues> pairs(const Wiring& wiring, const QueueRing& geometry,
                                      const std::vector<std::uint64_t>& bases) {
  std::vector<contract::PeQueues> pes;
  for (std::size_t r = 0; r < wiring.ranks.size(); ++r) {
    const WiredRank& rank = wiring.ranks[r];
    if (rank.links.empty()) continue;
    contract::PeQueues queues{rank.pe, {}};
    for (std::size_t l = 0; l < rank.links.size(); ++l) {
      QueuePair pair;
      pair.direction = wiring.label(rank.links[l]);
      if (const auto& end = rank.links[l].send_to) pair.peer = ring_of(wiring, end->rank, end->link, geometry, bases);
      if (rank.links[l].receives) pair.own = ring_of(wiring, r, l, geometry, bases);
      queues.pairs.push_back(std::move(pair));
    }
    pes.push_back(std::move(queues));
  }
  std::sort(pes.begin(), pes.end(),
            [](const contract::PeQueues& a, const contract::PeQueues& b) { return a.pe < b.pe; });
  return pes;
}

}  // namespace

PeBlocks pe_blocks(const std::vector<PeCoord>& pes, QueueMemory memory, std::uint64_t bytes_per_pe) {
  PeBlocks blocks;
  for (const PeCoord& pe : pes) {
    const bool shared = memory == QueueMemory::sram && !blocks.requests.empty() &&
                        blocks.requests.back().owner.sip == pe.sip && blocks.requests.back().owner.cube == pe.cube;
    if (!shared) blocks.requests.push_back({pe, 0});
    blocks.places.push_back({blocks.requests.size() - 1, blocks.requests.back().nbytes});
    blocks.requests.back().nbytes += bytes_per_pe;
  }
  return blocks;
}

contract::QueuePlan lay_queues(const Wiring& wiring, const topology::CclConfig& config, std::uint64_t slot_size,
                               const MemoryReservation& memory, const std::vector<PeCoord>& pes,
                               const std::vector<PeBlock>& places) {
  QueueRing geometry;
  geometry.memory = config.buffer_kind;
  geometry.n_slots = config.n_slots;
  geometry.slot_size = slot_size;
  std::vector<std::uint64_t> bases(wiring.ranks.size());
  for (std::size_t r = 0; r < bases.size(); ++r) {
    const auto found = std::lower_bound(pes.begin(), pes.end(), wiring.ranks[r].pe);
    if (found == pes.end() || wiring.ranks[r].pe < *found) continue;
    const PeBlock& place = places[static_cast<std::size_t>(found - pes.begin())];
    bases[r] = memory.blocks()[place.block].pa + place.offset;
  }
  contract::QueuePlan plan;
  plan.pes = pairs(wiring, geometry, bases);
  plan.backpressure = config.backpressure;
  plan.poll_interval = config.ipcq_poll;
  plan.credit_bytes = config.ipcq_credit_size_bytes;
  plan.credit = config.credit;
  plan.slot_access = config.slot_access;
  return plan;
}

PlannedQueues plan_queues(const Wiring& wiring, const topology::CclConfig& configured,
                          const contract::MachineInfo& machine, DeviceMemory& memory, std::uint64_t rings_before) {
  topology::CclConfig config = configured;
  if (config.slot_size == 0) config.slot_size = kUsualSlotBytes;
  const std::vector<PeCoord> pes = linked_pes(wiring);
  const PeBlocks blocks =
      pe_blocks(pes, config.buffer_kind, wiring.directions.size() * config.n_slots * config.slot_size);
  if (const auto shortage = memory.shortage(config.buffer_kind, blocks.requests)) {
    throw is_out_of_addresses(wiring, config, machine, config.buffer_kind, *shortage, rings_before);
  }

  PlannedQueues planned;
  planned.memory = memory.reserve(config.buffer_kind, blocks.requests);
  planned.plan = lay_queues(wiring, config, config.slot_size, planned.memory, pes, blocks.places);
  verify_queue_plan(planned.plan, machine);

  if (!wiring.left_out.empty()) {
    planned.warnings.push_back(
        config.problem_at("topology",
                          fmt::format("{} of the links lead nowhere back and are not installed, the first is {}",
                                      wiring.left_out.size(), wiring.left_out.front()),
                          "let each neighbour name the rank that names it"));
  }
  const auto chunk = config.values.find("vc_chunk_size");
  if (config.vc_chunk_size != machine.hbm_alignment && chunk != config.values.end() &&
      chunk->second.origin != "default") {
    planned.warnings.push_back(
        config.problem_at("vc_chunk_size",
                          fmt::format("{} B has no effect: the channels of PE_DMA take turns flit by flit, of {} B",
                                      config.vc_chunk_size, machine.hbm_alignment),
                          fmt::format("write {}, or leave the key out", machine.hbm_alignment)));
  }
  return planned;
}

std::uint64_t ring_room(const topology::CclConfig& config, const contract::MachineInfo& machine) {
  if (config.buffer_kind == QueueMemory::tcm) {
    const std::uint64_t taken = machine.scratch_bytes + machine.tcm_reserved_bytes;
    return machine.tcm_bytes > taken ? machine.tcm_bytes - taken : 0;
  }
  if (config.buffer_kind == QueueMemory::hbm) return machine.hbm_slice_bytes;
  return machine.sram_bytes / static_cast<std::uint64_t>(std::max(1, machine.pes_per_cube));
}

std::uint64_t chosen_slot_size(const Wiring& wiring, const topology::CclConfig& config,
                               const contract::MachineInfo& machine) {
  const std::uint64_t room = ring_room(config, machine);
  const std::uint64_t slots = std::max<std::uint64_t>(1, wiring.directions.size() * config.n_slots);
  const std::uint64_t least = std::min(kUsualSlotBytes, room / slots), half = room / 2 / slots;
  const std::uint64_t size = std::min(kMaxChosenSlotBytes, std::max(least, half));
  return std::max(size - size % machine.hbm_alignment,
                  size == 0 ? kUsualSlotBytes : std::min(size, machine.hbm_alignment));
}

void add_queues(contract::QueuePlan& plan, const contract::QueuePlan& more) {
  const auto before = [](const contract::PeQueues& a, const contract::PeQueues& b) { return a.pe < b.pe; };
  for (const contract::PeQueues& queues : more.pes) {
    const auto at = std::lower_bound(plan.pes.begin(), plan.pes.end(), queues, before);
    if (at == plan.pes.end() || queues.pe < at->pe) {
      plan.pes.insert(at, queues);
    } else {
      at->pairs.insert(at->pairs.end(), queues.pairs.begin(), queues.pairs.end());
    }
  }
}

}  // namespace kb::sw
