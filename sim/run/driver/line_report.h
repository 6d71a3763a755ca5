// Sections of the text report: where the time went, by line.
#pragma once

#include <string>

#include "sim/run/driver/run_record.h"

namespace kb::sim {

// Both are about the longest launch; empty when no account was kept, or no line of a kernel took time.
std::string render_line_times(const RunRecord& run);
std::string render_line_transfers(const RunRecord& run);

}  // namespace kb::sim
