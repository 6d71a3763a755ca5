#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/topology/machine_spec.h"
#include "sim/run/driver/run_record.h"

namespace kb::sim {

// "2 SIPs x 16 cubes x 8 PEs = 256 PEs"
std::string machine_text(const topology::MachineSpec& spec);

// A time of a table, in ns to the picosecond, so that columns align; the result file has the exact time. "-" for
// kNever.
std::string table_time(TimeFs fs);

using OutputFiles = std::vector<std::pair<std::string, std::string>>;  // purpose, path

// The text report at the end of a run: machine and workload, simulated and wall-clock time, verification, and files.
std::string render_report(const RunRecord& run, const topology::MachineSpec& spec, const OutputFiles& files);

}  // namespace kb::sim
