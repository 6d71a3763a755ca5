#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/names.h"
#include "platform/contract/completion.h"
#include "platform/contract/request_id.h"

namespace kb::sim {

// How a resource of a block was used while a launch was the latest one of its SIP.
struct ResourceUse {
  std::uint32_t resource = 0;  // of those that the run names
  TimeFs busy = 0_fs, wait = 0_fs;
  std::uint64_t bytes = 0;
};

// One launch in the history of a run, for the result file. Times are absolute; durations in femtoseconds.
struct LaunchRecord {
  contract::RequestId id = 0;
  std::string kernel;
  std::string label;
  std::string name() const { return launch_name(kernel, label); }
  SipId sip;
  TimeFs submitted = 0_fs;
  TimeFs start = kNever;      // first kernel body entered; kNever when none was
  TimeFs completed = kNever;  // at the host; kNever while open
  bool ok = false;
  std::string error_code;  // empty iff ok, once completed
  std::string error_message;
  contract::LaunchSummary summary;
  std::optional<PeCoord> awaited;       // whose messages the PE that ended last waited for longest, where that is known
  std::vector<ResourceUse> uses;        // in the order of the machine, where that was recorded
  std::vector<contract::PeResult> pes;  // in (sip, cube, pe) order; of the first kLaunchesWithPes of a run only

  // Takes what the PEs measured; `keep` their single results, too.
  void set_results(const std::vector<contract::PeResult>& results, bool keep);

  // The PE that ended last, the first of several; null when none ran or the launch is open.
  struct LastPe {
    PeCoord pe;
    TimeFs ready = 0_fs;
    TimeFs start = 0_fs;
    TimeFs exec = 0_fs;
    contract::TimeShares shares;  // of `exec`
  };
  const LastPe* last_pe() const { return completed == kNever || !last_ ? nullptr : &*last_; }

 private:
  std::optional<LastPe> last_;
};

// A million launches of all PEs would take a hundred gigabytes.
inline constexpr std::size_t kLaunchesWithPes = 256;

}  // namespace kb::sim
