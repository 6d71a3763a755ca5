// What the host gets back for a request, and what the PEs of a launch measured (H-12, H-37). Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/contract/launch_summary.h"
#include "platform/contract/time_shares.h"

namespace kb::contract {

// What one PE measured during a launch (H-37).
struct PeResult {
  PeCoord pe;
  TimeFs start = 0_fs;           // kernel body entered
  TimeFs exec = 0_fs;            // pe_exec: body start to end
  TimeFs dma = 0_fs;             // DMA engine busy on behalf of the launch
  TimeFs compute = 0_fs;         // GEMM and MATH busy
  std::int64_t macs = 0;         // MACs for which PE_GEMM was occupied, padding included (P-28)
  std::int64_t useful_macs = 0;  // MACs of elements that exist
  TimeFs late = 0_fs;            // arrival after the start stamp, 0 if in time (H-50)
  TimeFs ready = 0_fs;           // when launch and PE were ready; start - ready is the wait at the barrier
  TimeShares shares;             // how `exec` divides
  std::string error_code;        // empty = ok
  std::string error_message;
};

struct Completion {
  bool ok = true;
  std::string error_code;     // empty iff ok (H-12)
  std::string error_message;  // names the failing (sip, cube, pe)
  TimeFs submitted = 0_fs;
  TimeFs completed = 0_fs;
  // Launches only. The results of the PEs, in (sip, cube, pe) order, are dropped when many more launches have completed
  // (IHost::completion).
  LaunchSummary summary;
  std::vector<PeResult> pes;
};

}  // namespace kb::contract
