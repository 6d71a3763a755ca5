// Result of a request of the host, and measurements of the PEs of a launch (H-12, H-37). Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/contract/launch_summary.h"
#include "platform/contract/time_shares.h"

namespace kb::contract {

// Measurements of one PE during a launch (H-37).
struct PeResult {
  PeCoord pe;
  TimeFs start = 0_fs;           // kernel body entered
  TimeFs exec = 0_fs;            // pe_exec: body start to end
  TimeFs dma = 0_fs;             // DMA engine busy on behalf of the launch
  TimeFs compute = 0_fs;         // GEMM and MATH busy
  std::int64_t macs = 0;         // MACs that occupied PE_GEMM, padding included (P-28)
  std::int64_t useful_macs = 0;  // MACs without padding
  TimeFs late = 0_fs;            // arrival of the launch after its start stamp, 0 when it was in time (H-50)
  // when the launch had arrived and the PE was free; start - ready is the wait for the start stamp
  TimeFs ready = 0_fs;
  TimeShares shares;       // division of `exec`
  std::string error_code;  // empty when ok
  std::string error_message;
};

struct Completion {
  bool ok = true;
  std::string error_code;     // empty when ok (H-12)
  std::string error_message;  // names the failing (sip, cube, pe)
  TimeFs submitted = 0_fs;
  TimeFs completed = 0_fs;
  // Launches only. `pes` is in (sip, cube, pe) order; it is dropped after a number of later completions
  // (IHost::completion).
  LaunchSummary summary;
  std::vector<PeResult> pes;
};

}  // namespace kb::contract
