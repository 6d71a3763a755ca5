// What the PEs of a launch measured, taken together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/base/units.h"

namespace kb::contract {

struct PeResult;

// Metrics over the PEs (H-37, H-38); 0 without PEs.
struct LaunchSummary {
  TimeFs start = kNever;  // first kernel body entered; kNever when none was
  TimeFs exec_min = 0_fs;
  TimeFs exec_max = 0_fs;     // critical path of the launch
  TimeFs dma_max = 0_fs;      // summed over the operations, which go on at once
  TimeFs channel_max = 0_fs;  // in which the read or the write channels of PE_DMA were in use, whichever longer
  TimeFs compute_max = 0_fs;
  std::int64_t macs = 0;  // total of all PEs
  std::int64_t useful_macs = 0;
  TimeFs late_max = 0_fs;
  std::size_t pes = 0;
  std::size_t late_pes = 0;  // arrived after the start stamp (H-50)

  void add(const LaunchSummary& other);
};

LaunchSummary summarise(const std::vector<PeResult>& pes);

}  // namespace kb::contract
