// What serving needs to know of a model on a simulated machine.
#pragma once

#include <cstdint>

#include "sim/study/cells/cell_run.h"
#include "sw/profile/served_model.h"

namespace kb::cells {

profile::ServedModel served_model(const model::ModelSpec& spec, Dtype dtype);

// Blocks of keys and values for which the HBM of a SIP has room beside the weights and all that a step of so many new
// tokens needs. Configuration Error when there is none.
std::int64_t blocks_with_room(const CellSetup& setup, std::int64_t max_tokens);

}  // namespace kb::cells
