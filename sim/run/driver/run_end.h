// End of a simulation: open waits, the cause of a failure, and the statistics of blocks.
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

// All waits of host and machine, each once.
std::vector<elab::WaitInfo> open_waits(const elab::Platform& platform, const HostPort& host);

// The failure of the program, or the deadlock; no value when everything has ended. `host_limit` may be null.
std::optional<Error> find_failure(elab::Platform& platform, HostPort& host, const HostTimeLimit* host_limit);

// Ends a deadlocked run: fails every open request and appends the table of waits to `failure`. If a launch or kernel
// had failed before, it is named as the cause instead.
void end_without_progress(elab::Platform& platform, HostPort& host, std::optional<Error>& failure);

// Implementations of blocks from outside that declare no resource and are no part of a PE, which records its own.
std::vector<std::string> undeclared_blocks(const elab::Platform& platform);
// Statistics of all blocks that have any, in node order.
std::vector<BlockRecord> collect_statistics(elab::Platform& platform);

// Launches as spans for a waveform save file.
std::vector<waves::Span> launch_spans(const std::deque<LaunchRecord>& launches, TimeFs end);

void warn_of_unconsumed(const elab::Platform& platform, std::vector<std::string>& warnings);

}  // namespace kb::sim
