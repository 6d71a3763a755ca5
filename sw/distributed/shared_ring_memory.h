// Rings that collectives install on demand: all queues of a run, and shared memory for the rings of a group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/contract/i_host.h"
#include "platform/contract/queues.h"
#include "platform/topology/ccl_config.h"
#include "sw/distributed/wiring.h"
#include "sw/runtime/device_memory.h"

namespace kb::sw {

// The queues of a run in parts that are replaced one by one; labels and rings of the parts are disjoint.
class QueueInstaller {
 public:
  explicit QueueInstaller(contract::IHost& host) : host_(host) {}

  // Adds a part without queues.
  std::size_t add_part();
  // Replaces the queues of a part, in no simulated time; other parts are unchanged. Model Error when the queues of the
  // run are not consistent (verify_queue_plan), without a change; program Error QUEUE_ERROR when old queues are in use.
  void lay(std::size_t part, const contract::QueuePlan& queues);
  void clear(std::size_t part);  // removes the queues of the part
  // True when these queues are the ones that the part got last.
  bool has(std::size_t part, const contract::QueuePlan& queues) const { return laid_[part] == &queues; }

 private:
  contract::IHost& host_;
  std::vector<contract::QueuePlan> parts_;
  std::vector<const contract::QueuePlan*> laid_;  // the last plan of each part
};

// Rings of one wiring in a pool.
struct RingLayout {
  std::uint64_t slot_size = 0;  // 0: the rings do not fit
  contract::QueuePlan queues;
};

// One block of memory per PE that the rings of several wirings share, one wiring at a time. It must live as long as the
// rings.
struct SharedRingMemory {
  MemoryReservation memory;
  std::vector<RingLayout> layouts;  // indexed by wiring
};

struct PoolWiring {
  Wiring wiring;
  std::uint64_t slot_size = 0;  // maximum in bytes; 0: kMaxPoolSlotBytes
};
// Checks every layout (verify_queue_plan). A PE gets at most `room` bytes, or less if its memory is used. A wiring has
// no layout if its rings do not fit, or if their slots would be smaller than both its slot_size and
// kLeastPoolSlotBytes. Number of slots and rules are those of the configuration.
inline constexpr std::uint64_t kMaxPoolSlotBytes = 64 << 10;
inline constexpr std::uint64_t kLeastPoolSlotBytes = 512;
SharedRingMemory make_ring_pool(const std::vector<PoolWiring>& wirings, const topology::CclConfig& config,
                                const contract::MachineInfo& machine, DeviceMemory& memory, std::uint64_t room);

}  // namespace kb::sw
