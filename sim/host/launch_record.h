#pragma once

#include <cstdint>
#include <string>

#include "platform/contract/requests.h"

namespace kb::sim {

// One launch in the history of a run, for the result file. Times are absolute; durations in femtoseconds.
struct LaunchRecord {
  contract::RequestId id = 0;
  std::string kernel;
  std::string label;
  SipId sip;
  TimeFs submitted = 0;
  TimeFs start = kNever;      // first kernel body entered; kNever when none was
  TimeFs completed = kNever;  // at the host; kNever while open
  bool ok = false;
  std::string error_code;  // empty iff ok, once completed
  std::string error_message;
  std::vector<contract::PeResult> pes;  // in (sip, cube, pe) order

  // Metrics over the PEs (H-37, H-38); 0 without PEs.
  TimeFs exec_min() const;
  TimeFs exec_max() const;  // critical path of the launch
  TimeFs dma_max() const;
  TimeFs compute_max() const;
  std::size_t late_pes() const;  // arrived after the start stamp (H-50)
  TimeFs late_max() const;
  // The PE that ended last, the first of several; null when none ran or the launch is open.
  const contract::PeResult* last_pe() const;
};

}  // namespace kb::sim
