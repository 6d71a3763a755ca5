// How a simulation ended: what is still open, why, and what the blocks have counted.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/error.h"
#include "platform/elab/platform.h"
#include "platform/waves/gtkw_file.h"
#include "sim/run/driver/run_record.h"
#include "sim/run/host/host_port.h"

namespace kb::sim {

class HostTimeLimit;

// What host and machine wait for, each wait once.
std::vector<elab::WaitInfo> open_waits(const elab::Platform& platform, const HostPort& host);

// The program's own failure, or the lack of progress; nothing when everything came to its end. `host_limit` may be
// null.
std::optional<Error> find_failure(elab::Platform& platform, HostPort& host, const HostTimeLimit* host_limit);

// Ends a run without progress: fails every open request and appends the table of waits to `failure`. A launch or kernel
// that had failed before is named as the cause instead.
void end_without_progress(elab::Platform& platform, HostPort& host, std::optional<Error>& failure);

// Of all blocks that have any, in node order.
std::vector<BlockRecord> collect_statistics(elab::Platform& platform);

// For a save file of waveforms.
std::vector<waves::Span> launch_spans(const std::deque<LaunchRecord>& launches, TimeFs end);

void warn_of_leftovers(const elab::Platform& platform, std::vector<std::string>& warnings);

}  // namespace kb::sim
