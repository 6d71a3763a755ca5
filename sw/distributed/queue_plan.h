// From links between PEs to message queues in their memories: the plan that the machine installs
// (Q-22 .. ).
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
  MemoryReservation memory;          // of the rings: given back with this object, which therefore lives as long as they
  std::vector<Diagnostic> warnings;  // keys without meaning here, links that are not installed
};

// Reserves the rings where buffer_kind says, lays them out and proves the plan (verify_queue_plan).
// Each PE with links gets directions * n_slots * slot_size bytes, direction d at d times the size of a ring (A-92,
// A-93), also for directions it has not; in SRAM the PEs of a cube follow each other in one block. PEs without links
// are not in the plan. Rings that do not fit: configuration Error at slot_size when they never could, else program
// Error ALLOCATION_ERROR; both name memory, PE, needed and free bytes and what to change.
// A slot_size of 0 is kUsualSlotBytes. `rings_before`: rings of the same slots that the PE has already, which would
// shrink with these.
PlannedQueues plan_queues(const Wiring& wiring, const topology::CclConfig& config, const contract::MachineInfo& machine,
                          DeviceMemory& memory, std::uint64_t rings_before = 0);

// Blocks of a reservation in which PEs lie one behind the other where they share a memory.
struct PeBlock {
  std::size_t block = 0;     // of the reservation
  std::uint64_t offset = 0;  // in it
};
struct PeBlocks {
  std::vector<DeviceMemory::Request> requests;
  std::vector<PeBlock> places;  // by PE
};
// `pes` in ascending order, bytes_per_pe for each.
PeBlocks pe_blocks(const std::vector<PeCoord>& pes, QueueMemory memory, std::uint64_t bytes_per_pe);

// The queues of a wiring in blocks of a reservation that hold them; rules are those of the configuration, as are the
// slots but for their size.
contract::QueuePlan lay_queues(const Wiring& wiring, const topology::CclConfig& config, std::uint64_t slot_size,
                               const MemoryReservation& memory, const std::vector<PeCoord>& pes,
                               const std::vector<PeBlock>& places);

// Bytes of a slot where the user named none: kMaxChosenSlotBytes, or what lets all rings of a PE fit half of the room
// of their memory; not less than kUsualSlotBytes while that fits all of it.
inline constexpr std::uint64_t kMaxChosenSlotBytes = 8192;
inline constexpr std::uint64_t kUsualSlotBytes = 4096;
std::uint64_t ring_room(const topology::CclConfig& config, const contract::MachineInfo& machine);  // bytes per PE
std::uint64_t chosen_slot_size(const Wiring& wiring, const topology::CclConfig& config,
                               const contract::MachineInfo& machine);

// The queues of `more` beside those of `plan`, whose rules hold for both; rings and labels are others (not checked).
void add_queues(contract::QueuePlan& plan, const contract::QueuePlan& more);

// Model Error when two rings meet (I3.1, Q-78), when what is sent on a direction does not come out of the one
// that its peer pairs with it (I3, Q-77), or when PEs, labels, geometry or addresses are not what they should be
// PEs in order, labels unique, every ring inside its owner's memory of its kind. O(n log n).
void verify_queue_plan(const contract::QueuePlan& plan, const contract::MachineInfo& machine);

// Direction <-> own ring <-> peer ring for every PE, addresses decoded; lines end with '\n'.
std::string queue_plan_table(const contract::QueuePlan& plan);

}  // namespace kb::sw
