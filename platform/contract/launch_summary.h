// Measurements of a launch, combined over its PEs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/base/units.h"

namespace kb::contract {

struct PeResult;

// Metrics over the PEs (H-37, H-38); all are 0 when there are no PEs.
struct LaunchSummary {
  TimeFs start = kNever;  // when the first kernel body was entered; kNever when none was
  TimeFs exec_min = 0_fs;
  TimeFs exec_max = 0_fs;  // critical path of the launch
  TimeFs dma_max = 0_fs;   // sum over the DMA operations, which overlap
  // time in which the read or the write channels of PE_DMA were in use, the longer of the two
  TimeFs channel_max = 0_fs;
  TimeFs compute_max = 0_fs;
  std::int64_t macs = 0;  // total of all PEs
  std::int64_t useful_macs = 0;
  TimeFs late_max = 0_fs;
  std::size_t pes = 0;
  std::size_t late_pes = 0;  // PEs at which the launch arrived after its start stamp (H-50)

  void add(const LaunchSummary& other);
};

LaunchSummary summarise(const std::vector<PeResult>& pes);

}  // namespace kb::contract
