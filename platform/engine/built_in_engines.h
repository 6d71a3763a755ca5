// The rows of PE_GEMM and PE_MATH.
#pragma once

#include <vector>

#include "platform/engine/command_ref.h"
#include "platform/engine/engine_row.h"
#include "platform/ops/math_op.h"

namespace kb::engine {

std::vector<EngineRow> built_in_rows();  // in the order of EngineId

// The engine that executes an operation, and its command.
CommandRef product_command();
CommandRef math_command(MathOp op);

}  // namespace kb::engine
