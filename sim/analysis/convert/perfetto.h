// Converts a recorded run to a Perfetto trace (https://perfetto.dev, TrackEvent).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "platform/observe/output_file.h"
#include "sim/analysis/recorded/run_folder.h"

namespace kb::convert {

struct PerfettoOptions {
  bool wires = false;  // also writes counters of wires, of which there are many
};

// Writes the trace piece by piece. Tracks follow the tree of the machine, with launches at the top; overlapping
// operations of a component are on several tracks with one name. Messages between PEs are flows from send to copy to
// receive. Counters are busy shares in percent. Times are whole nanoseconds, with both ends rounded down. Neither the
// operations nor the trace are completely in memory. Configuration Error when the run has no operations or they cannot
// be read.
void write_perfetto(const analysis::RunFolder& run, const PerfettoOptions& options,
                    const std::function<void(std::string_view)>& write);

// Writes the trace to a file; compressed with gzip when its name ends in ".gz".
void write_perfetto_file(const analysis::RunFolder& run, const PerfettoOptions& options, observe::OutputFile& file);

}  // namespace kb::convert
