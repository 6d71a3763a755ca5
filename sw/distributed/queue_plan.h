// Plans message queues in PE memories from links between PEs; the machine installs the plan (Q-22 .. ).
#pragma once

#include <string>
#include <vector>

#include "platform/contract/machine_info.h"
#include "platform/contract/queues.h"
#include "platform/topology/ccl_config.h"
#include "sw/distributed/wiring.h"
#include "sw/runtime/device_memory.h"

namespace kb::sw {

struct PlannedQueues {
  contract::QueuePlan plan;
  MemoryReservation memory;  // memory of the rings, released with this object, which must live as long as the rings
  std::vector<Diagnostic> warnings;  // keys without effect here, and links that are not installed
};

// Reserves the rings in the memory of buffer_kind, lays them out and checks the plan (verify_queue_plan).
// Each PE with links gets directions * n_slots * slot_size bytes, with direction d at d times the size of a ring (A-92,
// A-93), also for directions that it does not have; in SRAM the PEs of a cube share one block. PEs without links are
// not in the plan. When the rings do not fit: configuration Error at slot_size if they cannot fit at all, otherwise
// program Error ALLOCATION_ERROR; both name memory, PE, needed and free bytes and a remedy. A slot_size
// of 0 is kUsualSlotBytes. `rings_before`: existing rings of the PE with the same slots, which would have to shrink as
// well.
PlannedQueues plan_queues(const Wiring& wiring, const topology::CclConfig& config, const contract::MachineInfo& machine,
                          DeviceMemory& memory, std::uint64_t rings_before = 0);

// Position of a PE's memory in the blocks of a reservation; PEs that share a memory are contiguous in one block.
struct PeBlock {
  std::size_t block = 0;     // index in the reservation
  std::uint64_t offset = 0;  // in the block
};
struct PeBlocks {
  std::vector<DeviceMemory::Request> requests;
  std::vector<PeBlock> places;  // indexed by PE
};
// `pes` are in ascending order and get bytes_per_pe each.
PeBlocks pe_blocks(const std::vector<PeCoord>& pes, QueueMemory memory, std::uint64_t bytes_per_pe);

// Lays out the queues of a wiring in the blocks of a reservation. Rules and slots are those of the configuration,
// except for the slot size.
contract::QueuePlan lay_queues(const Wiring& wiring, const topology::CclConfig& config, std::uint64_t slot_size,
                               const MemoryReservation& memory, const std::vector<PeCoord>& pes,
                               const std::vector<PeBlock>& places);

// Slot size when the user does not set one: kMaxChosenSlotBytes, or less so that all rings of a PE fit half of their
// memory; but at least kUsualSlotBytes if that fits the whole memory.
inline constexpr std::uint64_t kMaxChosenSlotBytes = 8192;
inline constexpr std::uint64_t kUsualSlotBytes = 4096;
std::uint64_t ring_room(const topology::CclConfig& config, const contract::MachineInfo& machine);  // bytes per PE
std::uint64_t chosen_slot_size(const Wiring& wiring, const topology::CclConfig& config,
                               const contract::MachineInfo& machine);

// Adds the queues of `more` to `plan`, whose rules apply to both; rings and labels must be different (not checked).
void add_queues(contract::QueuePlan& plan, const contract::QueuePlan& more);

// Model Error when two rings overlap (I3.1, Q-78), when the two ends of a link do not agree (I3, Q-77), or when PEs,
// labels, geometry or addresses are not valid: PEs in order, labels unique, every ring inside the right memory
// of its owner. Takes O(n log n).
void verify_queue_plan(const contract::QueuePlan& plan, const contract::MachineInfo& machine);

// Table of direction, own ring and peer ring for every PE, with decoded addresses; lines end with '\n'.
std::string queue_plan_table(const contract::QueuePlan& plan);

}  // namespace kb::sw
