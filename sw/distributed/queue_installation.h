// Installs message queues for kernels without a process group.
#pragma once

#include <cstdint>

#include "platform/topology/ccl_config.h"
#include "sw/distributed/queue_plan.h"
#include "sw/distributed/wiring.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {

// Wires the whole machine by the collective configuration, by one of the presets, or by the caller's wiring, and
// installs the queues. Rings, credits and sizes are those of the configuration; its wiring and neighbours are used only
// by the first constructor. Its algorithm may be none (`module: none`). The queues exist during the lifetime of this
// object; COLLECTIVE_ERROR when they have another owner (Runtime::claim_queues). Configuration Errors for the file, for
// rings that do not fit, and for grids as in plan_queues.
class QueueInstallation {
 public:
  explicit QueueInstallation(Runtime& runtime, const topology::CclOptions& options = {});
  // `message`: size in bytes that a slot should hold unless the configuration sets it, as far as the memory allows; 0:
  // default.
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
