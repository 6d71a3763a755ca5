// Adds to result.json what a run cost in joules.
#pragma once

#include <cstddef>

#include "sim/result/result.h"
#include "sim/run/driver/run_record.h"

namespace kb::sim {

// Sets `energy` of the document, of its launches and of its kernels, with at most `most` lines; nothing when the
// machine has no coefficients.
void add_energy(const RunRecord& run, std::size_t most, result::Result& document);

}  // namespace kb::sim
