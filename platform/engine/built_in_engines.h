// The rows of PE_GEMM and PE_MATH.
#pragma once

#include <vector>

#include "platform/engine/engine_row.h"

namespace kb::engine {

std::vector<EngineRow> built_in_rows();  // in the order of EngineId

}  // namespace kb::engine
