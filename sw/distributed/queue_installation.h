// Message queues for kernels that bring their own wiring and need no ranks of a host program.
#pragma once

#include "platform/topology/ccl_config.h"
#include "sw/distributed/queue_plan.h"
#include "sw/distributed/wiring.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {

// Wires the whole machine by one of the presets, or by a wiring of the caller's, and installs the queues. Rings,
// credits and sizes are those of the collective configuration; what it says about wiring and neighbours does not count.
// Lives as long as the queues are used; COLLECTIVE_ERROR beside another owner of the queues (Runtime::claim_queues).
// Configuration Errors of the file, of rings that do not fit and of grids as plan_queues.
class QueueInstallation {
 public:
  QueueInstallation(Runtime& runtime, topology::WiringPreset wiring, const topology::CclOptions& options = {});
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
