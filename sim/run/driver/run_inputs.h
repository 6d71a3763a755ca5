// What inputs.json has of a run.
#pragma once

#include <string>
#include <vector>

#include "sim/result/inputs.h"
#include "sim/run/driver/workload_run.h"

namespace kb::sim {

// The file of `name`: empty for the machine of the program. Plug-ins are those of the command line.
result::Inputs inputs_of(const WorkloadRun& run, const std::string& topology_file,
                         const std::vector<std::string>& plugins);

// The file with the checksum of its bytes; configuration Error when it cannot be read.
result::FileStamp stamp_of(const std::string& file);

}  // namespace kb::sim
