#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/names.h"
#include "platform/contract/completion.h"
#include "platform/contract/request_id.h"
#include "sim/result/line_record.h"

namespace kb::sim {

struct ResourceName {
  std::string block, resource;  // node id, and "pc3", "to_sip0.cube0.r0c0", "decode"
  std::uint32_t units = 1;      // that can be busy at once
};

// What a resource of a block did for the transactions and commands of a launch.
struct ResourceUse {
  std::uint32_t resource = 0;  // index in the run's list of resources
  TimeFs busy = 0_fs, wait = 0_fs;
  std::uint64_t bytes = 0;
};

// The record of one launch in the result file. Times are absolute; durations are in femtoseconds.
struct LaunchRecord {
  contract::RequestId id = 0;
  std::string kernel;
  std::string label;
  std::string name() const { return launch_name(kernel, label); }
  SipId sip;
  TimeFs submitted = 0_fs;
  TimeFs start = kNever;      // when the first kernel body was entered; kNever when none was
  TimeFs completed = kNever;  // at the host; kNever while open
  bool ok = false;
  std::string error_code;  // empty when ok, once completed
  std::string error_message;
  contract::LaunchSummary summary;
  std::optional<PeCoord> awaited;         // the PE whose messages the last-ending PE waited for longest, if known
  std::vector<ResourceUse> uses;          // in machine order, if recorded
  std::vector<LineTimeRecord> lines;      // by line, if recorded
  std::vector<PlaceUseRecord> transfers;  // by place and role, if recorded
  // in (sip, cube, pe) order; only for the first kLaunchesWithPes launches of a run
  std::vector<contract::PeResult> pes;

  // Adds the measurements of the PEs; `keep`: also their single results.
  void set_results(const std::vector<contract::PeResult>& results, bool keep);

  // The PE that ended last (the first one of several); null when none ran or the launch is open.
  struct LastEndingPe {
    PeCoord pe;
    TimeFs ready = 0_fs;
    TimeFs start = 0_fs;
    TimeFs exec = 0_fs;
    contract::TimeShares shares;  // division of `exec`
  };
  const LastEndingPe* last_pe() const { return completed == kNever || !last_ ? nullptr : &*last_; }

 private:
  std::optional<LastEndingPe> last_;
};

// Bound on memory: a million launches with all PEs would take a hundred gigabytes.
inline constexpr std::size_t kLaunchesWithPes = 256;

}  // namespace kb::sim
