// The section of the report that says what a run cost in joules.
#pragma once

#include <string>

#include "sim/run/driver/run_record.h"

namespace kb::sim {

// Empty when the machine has no coefficients.
std::string render_energy(const RunRecord& run);

}  // namespace kb::sim
