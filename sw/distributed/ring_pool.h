// Rings that collectives lay anew, each as it needs them: all queues of a run, and memory for those of a group.
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

// The queues of a run in parts, each with labels and rings of its own, that are laid one by one.
class InstalledQueues {
 public:
  explicit InstalledQueues(contract::IHost& host) : host_(host) {}

  // A part without queues.
  std::size_t add_part();
  // Replaces the queues of a part, in no simulated time; those of the others stay. Model Error when the queues of the
  // run are not sound together (verify_queue_plan), then nothing has changed; program Error QUEUE_ERROR when old ones
  // are in use.
  void lay(std::size_t part, const contract::QueuePlan& queues);
  void clear(std::size_t part);  // the same without queues
  // Whether the part has these queues: the ones that were laid last.
  bool has(std::size_t part, const contract::QueuePlan& queues) const { return laid_[part] == &queues; }

 private:
  contract::IHost& host_;
  std::vector<contract::QueuePlan> parts_;
  std::vector<const contract::QueuePlan*> laid_;  // what was given
};

// Rings over a wiring, in a pool.
struct LaidRings {
  std::uint64_t slot_size = 0;  // 0: they do not fit
  contract::QueuePlan queues;
};

// One block of memory per PE, in which the rings of several wirings lie, one wiring at a time. Lives as long as the
// rings are used.
struct RingPool {
  MemoryReservation memory;
  std::vector<LaidRings> layouts;  // by wiring
};

struct PoolWiring {
  Wiring wiring;
  std::uint64_t slot_size = 0;  // bytes at most; 0: kMaxPoolSlotBytes
};
// Every layout is proved (verify_queue_plan). `room` bytes per PE at most, less where the memory is taken. A wiring
// whose rings do not fit, or would have slots below kLeastPoolSlotBytes that nobody named, has none. Number of slots
// and rules are those of the configuration.
inline constexpr std::uint64_t kMaxPoolSlotBytes = 64 << 10;
inline constexpr std::uint64_t kLeastPoolSlotBytes = 512;
RingPool make_ring_pool(const std::vector<PoolWiring>& wirings, const topology::CclConfig& config,
                        const contract::MachineInfo& machine, DeviceMemory& memory, std::uint64_t room);

}  // namespace kb::sw
