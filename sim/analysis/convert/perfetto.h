// A recorded run as a trace of Perfetto (https://perfetto.dev, TrackEvent).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "platform/observe/output_file.h"
#include "sim/analysis/recorded/run_folder.h"

namespace kb::convert {

struct PerfettoOptions {
  bool wires = false;  // counters of wires, too, which are many
};

// Writes pieces of the trace in their order. Tracks are the tree of the machine, launches above it; operations of a
// component that overlap lie on several tracks of one name. Messages between PEs are flows from send to copy to
// receive. Counters are the shares of busy time in percent. Times are whole nanoseconds, both ends rounded down.
// Operations and trace are never in memory as a whole. Configuration Error when the run has no operations or they
// cannot be read.
void write_perfetto(const analysis::RunFolder& run, const PerfettoOptions& options,
                    const std::function<void(std::string_view)>& write);

// The same into a file, which takes its place; packed by gzip when its name ends in ".gz".
void write_perfetto_file(const analysis::RunFolder& run, const PerfettoOptions& options, observe::OutputFile& file);

}  // namespace kb::convert
