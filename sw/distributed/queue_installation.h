// Message queues for kernels that bring their own wiring and need no ranks of a host program.
#pragma once

#include <cstdint>

#include "platform/topology/ccl_config.h"
#include "sw/distributed/queue_plan.h"
#include "sw/distributed/wiring.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {

// Wires the whole machine as the collective configuration says, by one of the presets, or by a wiring of the caller's,
// and installs the queues. Rings, credits and sizes are those of the configuration; what it says about wiring and
// neighbours counts for the first constructor only. Its algorithm may be none (`module: none`).
// Lives as long as the queues are used; COLLECTIVE_ERROR beside another owner of the queues (Runtime::claim_queues).
// Configuration Errors of the file, of rings that do not fit and of grids as plan_queues.
class QueueInstallation {
 public:
  explicit QueueInstallation(Runtime& runtime, const topology::CclOptions& options = {});
  // `message` bytes are what a slot should hold where the configuration says nothing, as far as there is room; 0:
  // usual.
  QueueInstallation(Runtime& runtime, topology::WiringPreset wiring, const topology::CclOptions& options = {},
                    std::uint64_t message = 0);
  QueueInstallation(Runtime& runtime, const Wiring& wiring, const topology::CclOptions& options = {});
  QueueInstallation(const QueueInstallation&) = delete;
  QueueInstallation& operator=(const QueueInstallation&) = delete;

  const topology::CclConfig& config() const { return config_; }

 private:
  std::shared_ptr<void> claim_;
  topology::CclConfig config_;
  PlannedQueues queues_;
};

}  // namespace kb::sw
