// Members `lines` and `transfers` of result.json.
#pragma once

#include "sim/result/result.h"
#include "sim/run/driver/run_record.h"

namespace kb::sim {

// Sums over the launches of each kernel: the longest times and waits first, at most `most` of each.
void add_lines(const RunRecord& run, std::size_t most, result::Result& document);

}  // namespace kb::sim
