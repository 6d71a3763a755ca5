// The section of the report that says what a run cost in joules.
#pragma once

#include <cstdint>
#include <string>

#include "sim/run/driver/run_record.h"

namespace kb::sim {

// Empty when the machine has no coefficients.
std::string render_energy(const RunRecord& run);

// Three significant digits with a unit: "596 pJ", "12.3 uJ".
std::string joules_text(std::uint64_t femtojoules);

}  // namespace kb::sim
